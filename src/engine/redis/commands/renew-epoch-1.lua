#!lua flags=allow-oom
--[[
  Starts a new epoch where Redis holds less than somebody has already seen: a failover or a torn log lost some. However
  many ask about the same loss, it happens once, because the first one moves the epoch on.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 epoch  4 version  5 voters    what the caller has seen
        6 counters      `votes:<answer id>` for each answer of the poll, with spaces between
        7 votes         what the caller has seen of each, in this order; empty where it has not
  Reply 1 renewed, 0 nothing to renew
]]
local fields = { 'epoch', 'version', 'voters', 'deadline', 'settled' }
for counter in string.gmatch(ARGV[6], '%S+') do fields[#fields + 1] = counter end
local state = redis.call('HMGET', KEYS[1], unpack(fields))
if not state[1] then return 0 end

local epoch, version = tonumber(state[1]), tonumber(state[2])
local seenEpoch, seenVersion = tonumber(ARGV[3]), tonumber(ARGV[4])
-- The clock, not a count: two losses from the same old state must not give two histories one epoch.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local deadline, settled = state[4], state[5]
-- A deadline that has passed and could not be noted is seen all the same: see read-poll-1.lua.
if deadline ~= '' and deadline ~= settled and now >= tonumber(deadline) then
  version, settled = version + 1, deadline
end
-- As many new ballots as were lost, or more, hide a loss from the version: nothing that is counted ever falls.
local lost = seenVersion > version or tonumber(ARGV[5]) > tonumber(state[3])
local place = 5
for seen in string.gmatch(ARGV[7], '%d+') do
  place = place + 1
  lost = lost or tonumber(seen) > tonumber(state[place] or 0)
end
if seenEpoch < epoch or (seenEpoch == epoch and not lost) then return 0 end

redis.call('HSET', KEYS[1], 'epoch', math.max(seenEpoch + 1, now), 'version', math.max(seenVersion, version) + 1,
  'settled', settled)
redis.set_repl(redis.REPL_NONE)
redis.call(ARGV[1], ARGV[2], '')
return 1
