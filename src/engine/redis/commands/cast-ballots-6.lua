#!lua
--[[
  Casts ballots of one poll, one or many: checks, counts, remembers the voters, raises the version and tells watchers, in
  one step that happens wholly or not at all. This is the one way in, for a voting front end in any language:

    EVALSHA <sha1> 6 <KEYS...> <ARGV...>          (SCRIPT LOAD this file first; on NOSCRIPT, EVAL it)

  SAFE TO REPEAT. After any error (timeout, lost connection, failover) call again with the same ballot ids: the answer
  is `accepted` if the first call never arrived, and `repeated` if it did. Never retry under a new ballot id.

  ONE OR MANY. Ballots are judged in turn, each as if it were alone. A call costs three times what one more ballot in it
  does, so whoever has several ballots of a poll at hand casts them together.

  KEYS  all under one hash tag, so that one node of a cluster holds them. P is REDIS_PREFIX, by default `tallycast:`,
        and {id} the poll id in braces:
        1 P{id}:tally       hash, the counts and the state; create-poll-2.lua lists its fields
        2 P{id}:ballots     list, one JSON text for each ballot in the order of acceptance
        3 P{id}:ledger      hash, what has been used up:
                              b:<ballot id>    -> version, what makes a retry safe
                              v:<voter>        -> empty
                              a:<address>      -> empty, only where the poll lacks `mip`
        4 P{id}:proofs      sorted set, proof id -> UNIX time in milliseconds after which it may be forgotten
        5 P{id}:definition  hash } touched only to move the day on which
        6 P{id}:comments    list } the whole poll is removed
  ARGV  1 publish       PUBLISH, or SPUBLISH where Redis runs in cluster mode
        2 channel       P{id}:hints; watchers hear an empty message and read the poll again
        3 wait          1 where WAIT follows on this connection: a repeated ballot then writes too, because WAIT covers
                        what this connection wrote, and the first acceptance may have come over another one. Otherwise 0
        4 retention     RETENTION_DAYS in milliseconds, 0 keeps the poll for ever
        and for each ballot, of which there are 1 to 100:
        + ballot id     chosen on the voter's side, the same for each retry; any text of up to 128 bytes
        + voter         opaque key of the voter
        + address       opaque keyed hash of the address; never an address
        + name          UTF-8; kept only where the poll asks for one; empty for none
        + proof         id of a solved human check, good for one ballot; empty for none
        + proof expiry  UNIX time in milliseconds after which the proof is worthless; empty for none
        + count         of the answer ids that follow
        + answer ids    one, or several where the poll has `ma`, none twice

  Reply { outcome, version } of the first ballot, then of the next and so on, in one list. The first check that fails
  decides:
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
local FIRST_BALLOT = 5
local FIRST_ANSWER = 7
-- The lists that go to Redis must fit on Lua's stack.
local MAX_BALLOTS = 100
local MAX_ANSWERS = 100
local HOUR = 3600000
-- Clocks of front ends differ from this one: a proof is remembered this much longer than it is worth.
local PROOF_GRACE = 600000

local call, format = redis.call, string.format
local tally, ballots, ledger, proofs = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- Before anything is written: an error half way would leave a voter remembered whose vote was not counted.
local retention = tonumber(ARGV[4])
local starts, asked, askedProofs = {}, {}, {}
local count, start, size = 0, FIRST_BALLOT, #ARGV
while start <= size do
  local answers = tonumber(ARGV[start + 6])
  local sound = answers and answers >= 0 and answers % 1 == 0 and start + 6 + answers <= size
  local proof = ARGV[start + 4]
  if proof ~= '' then
    sound = sound and (tonumber(ARGV[start + 5]) or -1) >= 0
    askedProofs[#askedProofs + 1] = proof
  end
  if not sound or count == MAX_BALLOTS then count = 0 break end
  asked[3 * count + 1] = 'b:' .. ARGV[start]
  asked[3 * count + 2] = 'v:' .. ARGV[start + 1]
  asked[3 * count + 3] = 'a:' .. ARGV[start + 2]
  count = count + 1
  starts[count] = start
  start = start + FIRST_ANSWER + answers
end
if count == 0 or not retention then
  return redis.error_reply('ERR cast-ballots: the arguments are not as documented')
end
starts[count + 1] = start

-- Left to Redis, a Lua number is printed as a float, which takes three times as long.
local function text(number) return format('%d', number) end

-- Most often the first ballot's answer is the only one there is, so that it needs no call of its own.
local likely = ARGV[FIRST_BALLOT + FIRST_ANSWER] or ''
local state = call('HMGET', tally, 'version', 'voters', 'closed', 'deadline', 'refresh', 'ma', 'mip', 'enter_name',
  'votes:' .. likely)
local version, voters, closed, deadline = tonumber(state[1]), tonumber(state[2]), state[3], state[4]
local ma, mip, enterName = state[6] == '1', state[7] == '1', state[8] == '1'
local votes = { [likely] = tonumber(state[9]) or false }
local replies = {}
if not version then
  for index = 1, count do replies[2 * index - 1], replies[2 * index] = 'poll_not_found', 0 end
  return replies
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = deadline ~= '' and now >= tonumber(deadline)
if over and call('HGET', tally, 'settled') ~= deadline then
  version = version + 1
  call('HSET', tally, 'version', text(version), 'settled', deadline)
  call(ARGV[1], ARGV[2], '')
end

-- What has been used up: by earlier calls now, and by each ballot that is accepted below.
local used, usedProofs = {}, {}
for index, value in ipairs(call('HMGET', ledger, unpack(asked))) do used[asked[index]] = value end
if #askedProofs > 0 then
  for index, score in ipairs(call('ZMSCORE', proofs, unpack(askedProofs))) do usedProofs[askedProofs[index]] = score end
end

local function areInvalid(first, last)
  if last < first or last - first >= MAX_ANSWERS or (last > first and not ma) then return true end
  local taken = last > first and {}
  for place = first, last do
    local answer = ARGV[place]
    if votes[answer] == nil then votes[answer] = tonumber(call('HGET', tally, 'votes:' .. answer)) or false end
    if not votes[answer] or (taken and taken[answer]) then return true end
    if taken then taken[answer] = true end
  end
end

local function findFault(from, first, last, voter, address)
  if over or closed ~= '' then return 'poll_closed' end
  if areInvalid(first, last) then return 'invalid_answers' end
  if enterName and not string.find(ARGV[from + 3], '%S') then return 'name_required' end
  if used[voter] then return 'duplicate_voter' end
  if not mip and used[address] then return 'duplicate_address' end
  if usedProofs[ARGV[from + 4]] then return 'proof_used' end
end

local texts, entries, scores, counted = {}, {}, {}, {}
local opening = '{"castAtMs":' .. text(now) .. ',"answers":["'
local repeats = false
for index = 1, count do
  local from = starts[index]
  local first, last = from + FIRST_ANSWER, starts[index + 1] - 1
  local receipt, voter, address = asked[3 * index - 2], asked[3 * index - 1], asked[3 * index]
  local outcome, result
  if used[receipt] then
    outcome, result, repeats = 'repeated', tonumber(used[receipt]), true
  else
    outcome, result = findFault(from, first, last, voter, address), 0
  end
  if not outcome then
    version = version + 1
    outcome, result = 'accepted', version
    local after = text(version)
    used[receipt], used[voter] = after, ''
    local length = #entries
    entries[length + 1], entries[length + 2], entries[length + 3], entries[length + 4] = receipt, after, voter, ''
    if not mip then
      used[address] = ''
      entries[length + 5], entries[length + 6] = address, ''
    end
    local proof = ARGV[from + 4]
    if proof ~= '' then
      usedProofs[proof] = true
      scores[#scores + 1] = format('%.0f', ARGV[from + 5])
      scores[#scores + 1] = proof
    end
    for place = first, last do
      local answer = ARGV[place]
      votes[answer] = votes[answer] + 1
      counted[answer] = true
    end
    local name = enterName and cjson.encode(ARGV[from + 3]) or 'null'
    -- Answer ids were just found in the tally, so they need no escaping.
    texts[#texts + 1] = opening .. table.concat(ARGV, '","', first, last) .. '"],"name":' .. name .. ',"ballotId":'
      .. cjson.encode(ARGV[from]) .. '}'
  end
  replies[2 * index - 1], replies[2 * index] = outcome, result
end

if #texts == 0 then
  if repeats and ARGV[3] == '1' then call('HSET', tally, 'version', text(version)) end
  return replies
end

local sums = { 'version', text(version), 'voters', text(voters + #texts) }
for answer in pairs(counted) do
  sums[#sums + 1] = 'votes:' .. answer
  sums[#sums + 1] = text(votes[answer])
end
call('RPUSH', ballots, unpack(texts))
call('HSET', ledger, unpack(entries))
call('HSET', tally, unpack(sums))

local expires = retention > 0 and text((tonumber(deadline) or now) + retention) or '0'
if #scores > 0 then
  call('ZADD', proofs, unpack(scores))
  call('ZREMRANGEBYSCORE', proofs, '-inf', text(now - PROOF_GRACE))
  -- The first proof made the key, perhaps long after the first ballot.
  if expires ~= '0' then call('PEXPIREAT', proofs, expires) end
end
-- The first ballot made new keys; otherwise an hour more or less is not worth seven calls.
if voters == 0 or now >= tonumber(state[5]) then
  call('HSET', tally, 'expires', expires, 'refresh', text(now + HOUR))
  for _, key in ipairs(KEYS) do
    if expires ~= '0' then call('PEXPIREAT', key, expires) else call('PERSIST', key) end
  end
end

call(ARGV[1], ARGV[2], '')
return replies
