#!lua
--[[
  Casts a ballot: checks, counts, remembers the voter, raises the version and tells watchers, in one step that happens
  wholly or not at all. This is the one way in, for a voting front end in any language:

    EVALSHA <sha1> 8 <KEYS...> <ARGV...>          (SCRIPT LOAD this file first; on NOSCRIPT, EVAL it)

  SAFE TO REPEAT. After any error (timeout, lost connection, failover) call again with the same ballot id: the answer
  is `accepted` if the first call never arrived, and `repeated` if it did. Never retry under a new ballot id.

  KEYS  all under one hash tag, so that one node of a cluster holds them. P is REDIS_PREFIX, by default `tallycast:`,
        and {id} the poll id in braces:
        1 P{id}:tally       hash, the counts and the state; create-poll-2.lua lists its fields
        2 P{id}:ballots     list, one JSON text for each ballot in the order of acceptance
        3 P{id}:receipts    hash, ballot id -> version: what makes a retry safe
        4 P{id}:voters      set of voter keys
        5 P{id}:addresses   set of address keys, only where the poll lacks `mip`
        6 P{id}:proofs      sorted set, proof id -> UNIX time in milliseconds after which it may be forgotten
        7 P{id}:definition  hash } touched only to move the day on which
        8 P{id}:comments    list } the whole poll is removed
  ARGV  1 publish       PUBLISH, or SPUBLISH where Redis runs in cluster mode
        2 channel       P{id}:hints; watchers hear an empty message and read the poll again
        3 wait          1 where WAIT follows on this connection: a repeated ballot then writes too, because WAIT covers
                        what this connection wrote, and the first acceptance may have come over another one. Otherwise 0
        4 retention     RETENTION_DAYS in milliseconds, 0 keeps the poll for ever
        5 ballot id     chosen on the voter's side, the same for each retry; any text of up to 128 bytes
        6 voter         opaque key of the voter
        7 address       opaque keyed hash of the address; never an address
        8 name          UTF-8; kept only where the poll asks for one; empty for none
        9 proof         id of a solved human check, good for one ballot; empty for none
       10 proof expiry  UNIX time in milliseconds after which the proof is worthless; empty for none
       11...            answer ids: one, or several where the poll has `ma`, none twice

  Reply { outcome, version }. The first check that fails decides:
        poll_not_found      no such poll                                                  version 0
        repeated            this ballot id was accepted before; nothing counted now       version it got then
        poll_closed         closed by hand, or the deadline has passed by Redis' clock    version 0
        invalid_answers     none, unknown, twice, or several without `ma`                 version 0
        name_required       the poll has `enter_name` and the name is blank               version 0
        duplicate_voter     this voter key has voted                                      version 0
        duplicate_address   this address key has voted, and the poll lacks `mip`          version 0
        proof_used          the human check was used for another ballot                   version 0
        accepted            counted, exactly once                                         version after it
]]
local FIRST_ANSWER = 11
local MAX_ANSWERS = 100
local HOUR = 3600000
-- Clocks of front ends differ from this one: a proof is remembered this much longer than it is worth.
local PROOF_GRACE = 600000

local tally, ballots, receipts, voters, addresses, proofs = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local ballotId, voter, address, proof = ARGV[5], ARGV[6], ARGV[7], ARGV[9]
local answerCount = #ARGV - FIRST_ANSWER + 1
-- Before anything is written: an error half way would leave a voter remembered whose vote was not counted.
local proofExpires, retention = tonumber(ARGV[10]), tonumber(ARGV[4])
if not retention or answerCount < 0 or (proof ~= '' and not proofExpires) then
  return redis.error_reply('ERR cast-ballot: the arguments are not as documented')
end

local fields = { 'version', 'voters', 'closed', 'deadline', 'refresh', 'ma', 'mip', 'enter_name' }
local FIRST_VOTES = #fields + 1
-- More answers than a poll can have are refused below; asking for them all could overflow the stack here.
for index = 0, math.min(answerCount, MAX_ANSWERS) - 1 do
  fields[FIRST_VOTES + index] = 'votes:' .. ARGV[FIRST_ANSWER + index]
end
local state = redis.call('HMGET', tally, unpack(fields))
local version, voterCount, closed, deadline = state[1], state[2], state[3], state[4]
local ma, mip, enterName = state[6] == '1', state[7] == '1', state[8] == '1'
if not version then return { 'poll_not_found', 0 } end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Left to Redis, a Lua number is printed as a float, which takes three times as long.
local function text(number) return string.format('%d', number) end

local function repeated(first)
  if ARGV[3] == '1' then redis.call('HSET', tally, 'version', version) end
  return { 'repeated', tonumber(first) }
end

local function refused(outcome) return { outcome, 0 } end

local over = deadline ~= '' and now >= tonumber(deadline)
if over and redis.call('HGET', tally, 'settled') ~= deadline then
  version = text(version + 1)
  redis.call('HSET', tally, 'version', version, 'settled', deadline)
  redis.call(ARGV[1], ARGV[2], '')
end

local function findFault()
  if over or closed ~= '' then return 'poll_closed' end
  if answerCount < 1 or answerCount > MAX_ANSWERS or (answerCount > 1 and not ma) then return 'invalid_answers' end
  local taken = {}
  for index = FIRST_VOTES, #fields do
    if not state[index] or taken[fields[index]] then return 'invalid_answers' end
    taken[fields[index]] = true
  end
  if enterName and not string.find(ARGV[8], '%S') then return 'name_required' end
end

local fault = findFault()
if fault then
  local first = redis.call('HGET', receipts, ballotId)
  if first then return repeated(first) end
  return refused(fault)
end

-- Written first and taken back on the rare refusal: asking before writing would cost every ballot three more calls.
local after = text(version + 1)
if redis.call('HSETNX', receipts, ballotId, after) == 0 then return repeated(redis.call('HGET', receipts, ballotId)) end
if redis.call('SADD', voters, voter) == 0 then
  redis.call('HDEL', receipts, ballotId)
  return refused('duplicate_voter')
end
if not mip and redis.call('SADD', addresses, address) == 0 then
  redis.call('SREM', voters, voter)
  redis.call('HDEL', receipts, ballotId)
  return refused('duplicate_address')
end
if proof ~= '' then
  redis.call('ZREMRANGEBYSCORE', proofs, '-inf', now - PROOF_GRACE)
  if redis.call('ZADD', proofs, 'NX', text(proofExpires), proof) == 0 then
    if not mip then redis.call('SREM', addresses, address) end
    redis.call('SREM', voters, voter)
    redis.call('HDEL', receipts, ballotId)
    return refused('proof_used')
  end
end

local name = 'null'
if enterName then name = cjson.encode(ARGV[8]) end
-- Answer ids were just found in the tally, so they need no escaping.
local chosen = table.concat(ARGV, '","', FIRST_ANSWER)
redis.call('RPUSH', ballots, '{"version":' .. after .. ',"castAtMs":' .. text(now) .. ',"answers":["' .. chosen
  .. '"],"name":' .. name .. ',"ballotId":' .. cjson.encode(ballotId) .. '}')

redis.call('HSET', tally, 'version', after, 'voters', text(voterCount + 1),
  fields[FIRST_VOTES], text(state[FIRST_VOTES] + 1))
for index = FIRST_VOTES + 1, #fields do redis.call('HSET', tally, fields[index], text(state[index] + 1)) end

-- The first ballot made new keys and a proof may have; otherwise an hour more or less is not worth nine calls.
if voterCount == '0' or proof ~= '' or now >= tonumber(state[5]) then
  local expires = retention > 0 and (tonumber(deadline) or now) + retention or 0
  redis.call('HSET', tally, 'expires', text(expires), 'refresh', text(now + HOUR))
  for _, key in ipairs(KEYS) do
    if expires > 0 then redis.call('PEXPIREAT', key, text(expires)) else redis.call('PERSIST', key) end
  end
end

redis.call(ARGV[1], ARGV[2], '')
return { 'accepted', tonumber(after) }
