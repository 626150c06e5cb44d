#!lua flags=allow-oom
--[[
  Starts a new epoch where Redis holds an older state than somebody has already seen: a failover or a torn log lost
  some. However many ask about the same loss, it happens once, because the first one moves the epoch on.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 epoch  4 version    what the caller has seen
  Reply 1 renewed, 0 nothing to renew
]]
local state = redis.call('HMGET', KEYS[1], 'epoch', 'version')
if not state[1] then return 0 end

local epoch, version = tonumber(state[1]), tonumber(state[2])
local seenEpoch, seenVersion = tonumber(ARGV[3]), tonumber(ARGV[4])
if seenEpoch < epoch or (seenEpoch == epoch and seenVersion <= version) then return 0 end

-- The clock, not a count: two losses from the same old state must not give two histories one epoch.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'epoch', math.max(seenEpoch + 1, now), 'version', math.max(seenVersion, version) + 1)
redis.set_repl(redis.REPL_NONE)
redis.call(ARGV[1], ARGV[2], '')
return 1
