#!lua
--[[
  Copies a poll at one moment, so that a large one can be read slowly while ballots arrive. Redis is
  blocked meanwhile, 0.1 s for a hundred thousand ballots. The copy expires by itself if it is not
  unlinked.

  KEYS  1 poll
        2 comments
        3 copy
  ARGV  1 keep          milliseconds until the copy expires
  Reply nil if there is no such poll, otherwise a list: the UNIX time in milliseconds at
        which Redis removes the poll, negative for never, then its comments as JSON texts, newest first
]]
local expires = redis.call('PEXPIRETIME', KEYS[1])
if redis.call('COPY', KEYS[1], KEYS[3], 'REPLACE') == 0 then return false end
redis.call('PEXPIRE', KEYS[3], ARGV[1])
return { expires, unpack(redis.call('LRANGE', KEYS[2], 0, -1)) }
