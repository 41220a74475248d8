"""Which of PyTorch's operators do by themselves what is a layer, a loss or a solver of its own.

Products, sums, scans, sorts, transforms and functions of one element that every mathematics library has are what Python candidates are
made of, and are not here. The judge asks a process without a candidate for this table (role `operators` of driver.py)."""
import re

# A family's operators do the same job, so who meets one in the reference may call any of them. What follows a `+` are families whose
# operators its own ones may call in turn.
FAMILIES = {
    "softmax": "softmax _softmax _safe_softmax log_softmax _log_softmax special_softmax special_log_softmax logsumexp special_logsumexp "
               "_masked_softmax",
    "norm": "layer_norm native_layer_norm group_norm native_group_norm batch_norm _batch_norm_impl_index native_batch_norm "
            "_native_batch_norm_legit _batch_norm_with_update _batch_norm_no_update instance_norm rms_norm _fused_rms_norm",
    "attention": "scaled_dot_product_attention _scaled_dot_product_attention_math _scaled_dot_product_flash_attention_for_cpu "
                 "_native_multi_head_attention _transformer_encoder_layer_fwd + softmax",
    "loss": "cross_entropy_loss nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward binary_cross_entropy "
            "binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss huber_loss kl_div hinge_embedding_loss cosine_embedding_loss "
            "margin_ranking_loss triplet_margin_loss soft_margin_loss multi_margin_loss multilabel_margin_loss "
            "multilabel_margin_loss_forward poisson_nll_loss ctc_loss _ctc_loss + softmax activation distance",
    "activation": "gelu silu mish hardswish hardsigmoid elu celu selu softplus log_sigmoid log_sigmoid_forward leaky_relu prelu "
                  "_prelu_kernel glu softshrink hardshrink",
    "convolution": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution _convolution "
                   "mkldnn_convolution thnn_conv2d _slow_conv2d_forward slow_conv3d slow_conv3d_forward slow_conv_transpose2d "
                   "slow_conv_transpose3d slow_conv_dilated2d slow_conv_dilated3d",
    "pooling": "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices "
               "max_pool3d_with_indices mkldnn_max_pool2d mkldnn_max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d "
               "_adaptive_avg_pool2d _adaptive_avg_pool3d mkldnn_adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d "
               "adaptive_max_pool3d",
    "recurrent": "lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell mkldnn_rnn_layer",
    "distance": "cdist _cdist_forward _euclidean_dist pdist _pdist_forward pairwise_distance cosine_similarity",
    "bag": "embedding_bag _embedding_bag _embedding_bag_forward_only",
    "sampling": "grid_sampler grid_sampler_2d grid_sampler_3d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d "
                "upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d",
    "solver": "linalg_solve linalg_solve_ex _linalg_solve_ex linalg_inv linalg_inv_ex inverse cholesky linalg_cholesky linalg_cholesky_ex "
              "linalg_qr linalg_svd _linalg_svd linalg_eigh _linalg_eigh linalg_eig linalg_det _linalg_det linalg_lu_factor "
              "linalg_lu_factor_ex linalg_solve_triangular triangular_solve linalg_matrix_exp matrix_exp linalg_lstsq",
}

# What works element by element, or only moves: beside a fused operator it is trimming. Those above that work so, too, are told by `element`
# among their families.
ELEMENT = ("abs add addcdiv addcmul bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max clamp_min clone contiguous copy cos "
           "div eq erf exp exp2 expm1 floor ge gt hardtanh le log log10 log1p log2 logical_and logical_not logical_or lt masked_fill maximum "
           "minimum mul ne neg pow reciprocal relu relu6 rsqrt rsub sigmoid sign sin sqrt square sub tanh threshold to true_divide where")
WHOLLY_ELEMENT = ("activation",)


# Operators beside `aten`'s (oneDNN's, prepacked, quantised ones) say by a word of their name of which family they are.
LIBRARIES = ("mkldnn", "mkldnn_prepacked", "onednn", "quantized", "_quantized", "static_runtime")
WORDS = {"convolution": "conv convolution", "softmax": "softmax", "norm": "norm", "recurrent": "lstm gru rnn", "pooling": "pool",
         "bag": "bag", "activation": "gelu silu mish hardswish elu celu prelu hardsigmoid"}
PREPARES = {"prepack", "unpack", "reorder", "weight", "stride", "padding", "dilation", "groups"}


def beside_aten(name):
    """The family of an operator of another library than `aten`, or None."""
    library, _, short = name.partition("::")
    words = {re.sub(r"^q(?=conv|batch)|\d?d$", "", word) for word in short.split("_")}
    if library not in LIBRARIES or words & PREPARES:
        return None
    return next((family for family, said in WORDS.items() if words & set(said.split())), None)


def table(names=()):
    """{"aten::softmax": ["softmax"], ...}: its family, then those that it may call. With `_` behind the name: in place. `names`: of all
    operators that there are."""
    found = {name: [family] for name in names if (family := beside_aten(name))}
    found |= {"aten::" + form: ["element"] for name in ELEMENT.split() for form in (name, name + "_")}
    for family, text in FAMILIES.items():
        names, _, inner = text.partition(" + ")
        for name in names.split():
            for form in (name, name + "_"):
                found["aten::" + form] = [family] + inner.split() + ["element"] * (family in WHOLLY_ELEMENT)
    return found
