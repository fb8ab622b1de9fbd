echo "al- sl" | rev | bash
