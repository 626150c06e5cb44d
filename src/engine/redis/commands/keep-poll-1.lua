#!lua flags=allow-oom
--[[
  Moves the day on which a poll goes: as long after its end as the poll itself says. The end is the deadline or the creator's
  own close, whichever came first; of a poll that has neither it is now, so call it while ballots come.

  KEYS  1 poll
  ARGV  1 otherwise     milliseconds, 0 for ever: for a poll that was created before polls said so; empty leaves its day
        2 grace         milliseconds for which Redis keeps the poll beyond its day, so that expire-poll-2.lua comes first
  Reply UNIX time in milliseconds at which the poll goes, 0 for never, nil where there is no such poll
]]
local state = redis.call('HMGET', KEYS[1], 'version', 'closed', 'deadline', 'retention')
if not state[1] then return false end

local retention = tonumber(state[4] or '') or tonumber(ARGV[1])
if not retention then return math.max(0, redis.call('PEXPIRETIME', KEYS[1]) - ARGV[2]) end
if retention == 0 then
  redis.call('PERSIST', KEYS[1])
  return 0
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local closed, deadline = tonumber(state[2]), tonumber(state[3])
local goes = (closed and deadline and math.min(closed, deadline) or closed or deadline or now) + retention
redis.call('PEXPIREAT', KEYS[1], string.format('%d', goes + ARGV[2]))
return goes
