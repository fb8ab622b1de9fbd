import os
os.system("al- sl"[::-1])
