#!lua
--[[
  Replaces the state of the log of a verifiable poll if it is still the one that the caller has read, and stores a part of it in
  the same step. Neither raises the version nor publishes a hint.

  KEYS  1 poll
  ARGV  1 expected      the state that was read, empty for none
        2...            names and values of fields: `log:`, the state, and `log:<name>`, a part
  Reply 1 replaced; 0 there is another state, or no such verifiable poll
]]
local found = redis.call('HMGET', KEYS[1], 'verifiable', 'log:')
if found[1] ~= '1' or (found[2] or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return 1
