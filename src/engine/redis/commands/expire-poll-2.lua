#!lua flags=allow-oom
--[[
  Removes a poll that has outlived its retention, and tells watchers. By UNLINK, which frees a million ballots off the main
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
if expires == -1 then return -1 end

local time = redis.call('TIME')
local goes = expires - tonumber(ARGV[4])
if goes > time[1] * 1000 + math.floor(time[2] / 1000) then return goes end
redis.call('UNLINK', unpack(KEYS))
redis.set_repl(redis.REPL_NONE)
redis.call(ARGV[1], ARGV[2], '')
redis.call(ARGV[1], ARGV[3], '')
return 0
