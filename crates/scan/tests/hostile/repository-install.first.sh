pip install git+https://github.com/someone/helper.git
