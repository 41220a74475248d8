subroutine kernel()
end subroutine
