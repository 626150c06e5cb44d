#!lua flags=allow-oom
--[[
  Applies a change by the creator's hand, raises the version and tells watchers. Allowed when
  Redis is out of memory: it takes none, and a creator must be able to close a poll then.

  KEYS  1 tally  2 ballots  3 ledger  4 proofs  5 definition  6 comments
  ARGV  1 publish       PUBLISH, or SPUBLISH in cluster mode
        2 channel       of the poll
        3 retention     milliseconds, 0 keeps the poll for ever
        4 closed        1 | 0, empty leaves it as it is
        5 deadline      UNIX time in milliseconds | none, empty leaves it as it is
        6 visibility    always | after_deadline | hidden, empty leaves it as it is
        7 view          SHA-256 of the new view key, hex; empty leaves it as it is
  Reply 1 changed, 0 there is no such poll
]]
local state = redis.call('HMGET', KEYS[1], 'version', 'closed', 'deadline', 'settled')
if not state[1] then return 0 end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local closed, deadline, settled = state[2], state[3], state[4]
if ARGV[4] == '0' then closed = '' end
if ARGV[4] == '1' and closed == '' then closed = string.format('%d', now) end
if ARGV[5] == 'none' then deadline = '' elseif ARGV[5] ~= '' then deadline = ARGV[5] end
-- A deadline that lies in the past already is noted by this very change.
if ARGV[5] ~= '' then settled = '' end
if deadline ~= '' and now >= tonumber(deadline) then settled = deadline end

local expires = 0
if tonumber(ARGV[3]) > 0 then expires = (tonumber(closed) or tonumber(deadline) or now) + tonumber(ARGV[3]) end

redis.call('HSET', KEYS[1], 'version', state[1] + 1, 'closed', closed, 'deadline', deadline, 'settled', settled,
  'expires', expires)
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'visibility', ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'view', ARGV[7]) end
for _, key in ipairs(KEYS) do
  if expires > 0 then redis.call('PEXPIREAT', key, expires) else redis.call('PERSIST', key) end
end
redis.call(ARGV[1], ARGV[2], '')
return 1
