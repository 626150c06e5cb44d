#!lua
--[[
  Replaces the state of the log of a round of a verifiable poll if it is still the one that the
  caller has read, and stores a part of it in the same step. Neither raises the version nor
  publishes a hint.

  KEYS  1 poll
  ARGV  1 expected      the state that was read, empty for none
        2 round         its number, empty for the present one: an earlier one has a key of its own,
                        see begin-round-2.lua
        3...            names and values of fields: `log:`, the state, and `log:<name>`, a part
  Reply 1 replaced; 0 there is another state, or no such verifiable poll
]]
local key = KEYS[1]
if ARGV[2] ~= '' and ARGV[2] ~= (redis.call('HGET', key, 'round') or '1') then key = key .. '~' .. ARGV[2] end
local found = redis.call('HMGET', key, 'verifiable', 'log:')
if found[1] ~= '1' or (found[2] or '') ~= ARGV[1] then return 0 end
redis.call('HSET', key, unpack(ARGV, 3))
return 1
