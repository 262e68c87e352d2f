"""python -m kernelgap"""

from kernelgap.cli import main

if __name__ == "__main__":
    main()
