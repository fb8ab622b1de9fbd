curl -s "https://api.telegram.org/bot6123456789:AAHk3jd82kd93jdks93kdjs83jdks93kdj8/sendMessage" -d "text=$X"
