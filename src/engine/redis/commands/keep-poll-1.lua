#!lua flags=allow-oom
--[[
  Moves the expiry of a poll and its earlier rounds to its own retention after its end. The end is
  the deadline or the creator's close, whichever came first. For a poll with neither the end is now,
  so call this while ballots arrive.

  KEYS  1 poll
  ARGV  1 otherwise     retention in milliseconds, 0 for ever, for polls from before polls had one;
                        empty keeps their expiry
        2 grace         milliseconds by which Redis' own expiry is later, so that expire-poll-2.lua
                        comes first
  Reply nil if there is no such poll, otherwise two UNIX times in milliseconds, 0 for never:
        when the poll expires, and when a sweep has to check it, which is sooner while it has no
        ballot. Redis' own expiry ignores that case, because the first ballot would have to move it
        in the same step.
]]
local state = redis.call('HMGET', KEYS[1], 'version', 'closed', 'deadline', 'retention', 'sequence', 'created', 'empty', 'round')
if not state[1] then return false end

local rounds = state[8] or 1
local closed, deadline = tonumber(state[2]), tonumber(state[3])
local created, empty = tonumber(state[6] or ''), tonumber(state[7] or '')
local function reply(expires)
  local due = expires
  if state[5] == '0' and created and empty then
    local sooner = math.max(created, deadline or 0) + empty
    if due == 0 or sooner < due then due = sooner end
  end
  return { expires, due }
end

local retention = tonumber(state[4] or '') or tonumber(ARGV[1])
if not retention then return reply(math.max(0, redis.call('PEXPIRETIME', KEYS[1]) - ARGV[2])) end
if retention == 0 then
  redis.call('PERSIST', KEYS[1])
  for round = 1, rounds - 1 do redis.call('PERSIST', KEYS[1] .. '~' .. round) end
  return reply(0)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expires = (closed and deadline and math.min(closed, deadline) or closed or deadline or now) + retention
redis.call('PEXPIREAT', KEYS[1], string.format('%d', expires + ARGV[2]))
for round = 1, rounds - 1 do redis.call('PEXPIREAT', KEYS[1] .. '~' .. round, string.format('%d', expires + ARGV[2])) end
return reply(expires)
