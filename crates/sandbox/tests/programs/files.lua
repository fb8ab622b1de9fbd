-- What Lua's own functions do.
assert(io.popen("echo hi"):read("a") == "hi\n")
local file = assert(io.open("/tmp/f", "w")); file:write("x"); file:close()
assert(os.rename("/tmp/f", "/tmp/g")); assert(os.remove("/tmp/g")); assert(os.tmpname()); assert(os.execute("true"))
print("done")
