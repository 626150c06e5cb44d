#!lua flags=allow-oom
--[[
  Moves the day on which a poll goes: as long after its end as the poll itself says. The end is the deadline or the creator's
  own close, whichever came first; of a poll that has neither it is now, so call it while ballots come.

  KEYS  1 poll
  ARGV  1 otherwise     milliseconds, 0 for ever: for a poll that was created before polls said so; empty leaves its day
        2 grace         milliseconds for which Redis keeps the poll beyond its day, so that expire-poll-2.lua comes first
  Reply nil where there is no such poll, otherwise two UNIX times in milliseconds, 0 for never: at which the poll goes, and at
        which a sweep looks at it, which is sooner while it has no ballot. Redis' own expiry leaves those to the sweep: the
        first ballot would have to move it in the same step.
]]
local state = redis.call('HMGET', KEYS[1], 'version', 'closed', 'deadline', 'retention', 'voters', 'created', 'empty')
if not state[1] then return false end

local closed, deadline = tonumber(state[2]), tonumber(state[3])
local created, empty = tonumber(state[6] or ''), tonumber(state[7] or '')
local function reply(goes)
  local due = goes
  if state[5] == '0' and created and empty then
    local sooner = math.max(created, deadline or 0) + empty
    if due == 0 or sooner < due then due = sooner end
  end
  return { goes, due }
end

local retention = tonumber(state[4] or '') or tonumber(ARGV[1])
if not retention then return reply(math.max(0, redis.call('PEXPIRETIME', KEYS[1]) - ARGV[2])) end
if retention == 0 then
  redis.call('PERSIST', KEYS[1])
  return reply(0)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local goes = (closed and deadline and math.min(closed, deadline) or closed or deadline or now) + retention
redis.call('PEXPIREAT', KEYS[1], string.format('%d', goes + ARGV[2]))
return reply(goes)
