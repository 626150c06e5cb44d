#!lua
--[[
  Adds a comment to an existing poll and publishes a hint. A comment that is stored already is not
  added again.

  KEYS  1 comments      list of JSON texts, newest first
        2 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll's comments
        3 comment       JSON
  Reply nil if there is no such poll, otherwise { length, expires }: the number of comments,
        and the UNIX time in milliseconds at which Redis removes the poll, negative for never. The
        caller trims the list and sets its expiry, because each step is one write: see
        cast-ballots-1.lua.
]]
if redis.call('EXISTS', KEYS[2]) == 0 then return false end

local expires = redis.call('PEXPIRETIME', KEYS[2])
if redis.call('LPOS', KEYS[1], ARGV[3]) then return { redis.call('LLEN', KEYS[1]), expires } end
local length = redis.call('LPUSH', KEYS[1], ARGV[3])
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return { length, expires }
