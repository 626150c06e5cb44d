#!lua
--[[
  Copies a poll as it is at one moment, for who wants to read a great one at leisure while ballots come. Redis does nothing else
  meanwhile: 0.1 s for a hundred thousand ballots. The copy goes after an hour, if it is not unlinked before.

  KEYS  1 poll
        2 comments
        3 copy
  ARGV  1 keep          milliseconds until the copy goes by itself
  Reply nil where there is no such poll, otherwise a list: the UNIX time in milliseconds at which Redis lets the poll go, negative
        for never, and its comments, JSON texts, newest first
]]
local goes = redis.call('PEXPIRETIME', KEYS[1])
if redis.call('COPY', KEYS[1], KEYS[3], 'REPLACE') == 0 then return false end
redis.call('PEXPIRE', KEYS[3], ARGV[1])
return { goes, unpack(redis.call('LRANGE', KEYS[2], 0, -1)) }
