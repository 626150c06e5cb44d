#!lua
--[[
  Keeps a comment under a poll, so long as there is a poll, and tells watchers.

  KEYS  1 comments      list of JSON texts, newest first
        2 tally
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll's comments
        3 comment       JSON
        4 limit         how many of the newest comments to keep
  Reply 1 kept, 0 there is no such poll
]]
local expires = redis.call('HGET', KEYS[2], 'expires')
if not expires then return 0 end

redis.call('LPUSH', KEYS[1], ARGV[3])
redis.call('LTRIM', KEYS[1], 0, ARGV[4] - 1)
if expires ~= '0' then redis.call('PEXPIREAT', KEYS[1], expires) end
redis.call(ARGV[1], ARGV[2], '')
return 1
