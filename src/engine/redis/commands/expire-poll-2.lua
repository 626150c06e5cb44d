#!lua flags=allow-oom
--[[
  Removes a poll that has outlived its retention, or its time without a ballot, and tells watchers. By UNLINK, which frees a million ballots off the main
  thread: where `lazyfree-lazy-expire` is off, as it is by default, Redis' own expiry holds up every other poll meanwhile.

  KEYS  1 poll
        2 comments
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 channel       of the poll's comments
        4 grace         milliseconds for which Redis keeps a poll beyond its day: see keep-poll-1.lua
  Reply 0 it is gone, else the UNIX time in milliseconds at which it goes, -1 for never
]]
local expires = redis.call('PEXPIRETIME', KEYS[1])
if expires == -2 then return 0 end

local goes = expires == -1 and -1 or expires - tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'voters', 'created', 'empty', 'deadline')
local created, empty = tonumber(state[2] or ''), tonumber(state[3] or '')
if state[1] == '0' and created and empty then
  local sooner = math.max(created, tonumber(state[4] or '') or 0) + empty
  if goes == -1 or sooner < goes then goes = sooner end
end
if goes == -1 then return -1 end
local time = redis.call('TIME')
if goes > time[1] * 1000 + math.floor(time[2] / 1000) then return goes end
redis.call('UNLINK', unpack(KEYS))
redis.set_repl(redis.REPL_NONE)
redis.call(ARGV[1], ARGV[2], '')
redis.call(ARGV[1], ARGV[3], '')
return 0
