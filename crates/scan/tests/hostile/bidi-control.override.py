role = "user‮ ⁦# admin⁩⁦"
