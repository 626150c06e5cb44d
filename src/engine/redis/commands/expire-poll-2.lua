#!lua flags=allow-oom
--[[
  Removes a poll whose retention, or whose time without a ballot, is over, and publishes hints. Uses
  UNLINK, which frees a million ballots in the background; with `lazyfree-lazy-expire no`, the
  default, Redis' own expiry would block every poll.

  KEYS  1 poll
        2 comments
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 channel       of the poll's comments
        4 grace         milliseconds by which Redis' own expiry is later: see keep-poll-1.lua
  Reply 0 removed or missing, -1 it never expires, otherwise the UNIX time in milliseconds at
        which it expires
]]
local expires = redis.call('PEXPIRETIME', KEYS[1])
if expires == -2 then return 0 end

local due = expires == -1 and -1 or expires - tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'sequence', 'created', 'empty', 'deadline')
local created, empty = tonumber(state[2] or ''), tonumber(state[3] or '')
if state[1] == '0' and created and empty then
  local sooner = math.max(created, tonumber(state[4] or '') or 0) + empty
  if due == -1 or sooner < due then due = sooner end
end
if due == -1 then return -1 end
local time = redis.call('TIME')
if due > time[1] * 1000 + math.floor(time[2] / 1000) then return due end
local rounds = redis.call('HGET', KEYS[1], 'round') or 1
redis.call('UNLINK', unpack(KEYS))
for round = 1, rounds - 1 do redis.call('UNLINK', KEYS[1] .. '~' .. round) end
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
redis.pcall(ARGV[1], ARGV[3], '')
return 0
