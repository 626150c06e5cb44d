#!lua
--[[
  Adds to the amount spent under a name, unless that would exceed the budget.

  KEYS  1 record
  ARGV  1 amount        whole number
        2 budget        whole number
        3 keep          milliseconds after which the whole amount expires
  Reply 1 spent, 0 it would exceed the budget: nothing is changed
]]
local spent = tonumber(redis.call('GET', KEYS[1]) or '0') + tonumber(ARGV[1])
if spent > tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], string.format('%d', spent), 'PX', ARGV[3])
return 1
