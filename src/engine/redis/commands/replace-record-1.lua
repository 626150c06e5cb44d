#!lua
--[[
  Puts another text in the place of one that the caller has read, or takes it away: of two who read the same, one succeeds.
  A time that was set for the text ends with it.

  KEYS  1 record
  ARGV  1 expected      the text that was read
        2 text          left out, the record is removed
  Reply 1 replaced, 0 another text is there, or none
]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('UNLINK', KEYS[1])
end
return 1
