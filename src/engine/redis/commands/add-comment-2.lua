#!lua
--[[
  Keeps a comment under a poll, so long as there is a poll, and tells watchers. One that is there already stays as it is.

  KEYS  1 comments      list of JSON texts, newest first
        2 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll's comments
        3 comment       JSON
  Reply nil where there is no such poll, otherwise { length, goes }: how many comments there are now, and the UNIX time in
        milliseconds at which the poll goes, negative for never. Trimming the list and letting it go with the poll are
        left to the caller, because each step is one write: see cast-ballots-1.lua.
]]
if redis.call('EXISTS', KEYS[2]) == 0 then return false end

local goes = redis.call('PEXPIRETIME', KEYS[2])
if redis.call('LPOS', KEYS[1], ARGV[3]) then return { redis.call('LLEN', KEYS[1]), goes } end
local length = redis.call('LPUSH', KEYS[1], ARGV[3])
redis.set_repl(redis.REPL_NONE)
redis.call(ARGV[1], ARGV[2], '')
return { length, goes }
