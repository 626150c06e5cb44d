#!lua
--[[
  Opens a poll unless its id is taken. One step, so that two creators can never both believe they own an id.

  KEYS  1 tally         hash, the mutable state: see below
        2 definition    hash, what never changes: poll (JSON), admin (SHA-256 of the admin key, hex)
  ARGV  1 poll          JSON
        2 admin         SHA-256 of the admin key, hex
        3 view          SHA-256 of the view key, hex
        4 public        1 where the poll may be listed, otherwise 0
        5 deadline      UNIX time in milliseconds, or empty
        6 visibility    always | after_deadline | hidden
        7 ma  8 mip  9 enter_name    1 or 0
       10 retention     milliseconds, 0 keeps the poll for ever
       11...            answer ids, at most 100, of the characters A-Z a-z 0-9 - _
  Reply 1 created, 0 the id is taken

  The tally holds, in this order because short hashes are searched from their front:
    version, voters    whole numbers; voters counts ballots
    closed             UNIX time in milliseconds of the creator's own close, otherwise empty
    deadline           as ARGV
    refresh            UNIX time in milliseconds before which ballots leave `expires` alone
    ma, mip, enter_name
    expires            UNIX time in milliseconds at which all keys of the poll go, 0 for never
    settled            the deadline whose passing has been noted, otherwise empty
    epoch, visibility, view, public
    votes:<answer id>  one counter each; the prefix keeps an answer id from posing as another field
]]
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local retention = tonumber(ARGV[10])
local expires = 0
if retention > 0 then expires = (tonumber(ARGV[5]) or now) + retention end

redis.call('HSET', KEYS[1],
  'version', 1, 'voters', 0, 'closed', '', 'deadline', ARGV[5], 'refresh', 0,
  'ma', ARGV[7], 'mip', ARGV[8], 'enter_name', ARGV[9],
  'expires', expires, 'settled', '', 'epoch', 1, 'visibility', ARGV[6], 'view', ARGV[3], 'public', ARGV[4])
for index = 11, #ARGV do redis.call('HSET', KEYS[1], 'votes:' .. ARGV[index], 0) end
redis.call('HSET', KEYS[2], 'poll', ARGV[1], 'admin', ARGV[2])

if expires > 0 then
  redis.call('PEXPIREAT', KEYS[1], expires)
  redis.call('PEXPIREAT', KEYS[2], expires)
end
return 1
