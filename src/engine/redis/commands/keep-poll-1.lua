#!lua flags=allow-oom
--[[
  Moves the day on which a poll goes: so long after its end, or after now where it has none.

  KEYS  1 poll
  ARGV  1 retention     milliseconds, 0 keeps the poll for ever
  Reply UNIX time in milliseconds at which the poll goes, 0 for never, nil where there is no such poll
]]
local state = redis.call('HMGET', KEYS[1], 'closed', 'deadline')
if not state[1] then return false end

local retention = tonumber(ARGV[1])
if retention == 0 then
  redis.call('PERSIST', KEYS[1])
  return 0
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local goes = (tonumber(state[1]) or tonumber(state[2]) or now) + retention
redis.call('PEXPIREAT', KEYS[1], string.format('%d', goes))
return goes
