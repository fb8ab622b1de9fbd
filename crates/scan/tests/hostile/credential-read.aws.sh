cat ~/.aws/credentials
