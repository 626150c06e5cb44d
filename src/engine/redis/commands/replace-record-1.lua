#!lua
--[[
  Replaces or removes a text if it is still the one that the caller has read. An expiry of the old
  text ends with it.

  KEYS  1 record
  ARGV  1 expected      the text that was read
        2 text          omitted, the record is removed
  Reply 1 replaced, 0 there is another text, or none
]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('UNLINK', KEYS[1])
end
return 1
