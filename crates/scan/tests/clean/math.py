import math

Δx = 0.1
σ_x = math.sqrt(Δx)
μ, λ = 1.0, 2.0
print(f"π≈{math.pi:.3f} ± {σ_x}")
