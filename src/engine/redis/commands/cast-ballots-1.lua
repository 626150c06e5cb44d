#!lua
--[[
  Casts ballots of one poll, one or many: checks, counts, remembers the voters, raises the version and tells watchers, in
  one step that happens wholly or not at all. This is the one way in, for a voting front end in any language:

    EVALSHA <sha1> 1 <KEYS...> <ARGV...>          (SCRIPT LOAD this file first; on NOSCRIPT, EVAL it)

  SAFE TO REPEAT. After any error (timeout, lost connection, failover) call again with the same ballot ids: the answer
  is `accepted` if the first call never arrived, and `repeated` if it did. Never retry under a new ballot id.

  ONE OR MANY. Ballots are judged in turn, each as if it were alone. A call costs three times what one more ballot in it
  does, so whoever has several ballots of a poll at hand casts them together.

  ONE WRITE. All that a call changes it writes by one HSET. Two writes would stand in the log of Redis between MULTI and
  EXEC, and a log that is torn between them, by a lost machine, brings half of them back at the second start after it.
  So a poll is one hash, and nothing here moves the day on which it goes: keep-poll-1.lua does, to be called for a poll
  without a deadline once an hour while ballots come.

  KEYS  1 poll          hash P{id}:poll, where P is REDIS_PREFIX, by default `tallycast:`, and {id} the poll id in braces;
                        create-poll-1.lua lists its fields
  ARGV  1 publish       PUBLISH, or SPUBLISH where Redis runs in cluster mode
        2 channel       P{id}:hints; watchers hear an empty message and read the poll again
        3 wait          1 where WAIT follows on this connection: a repeated ballot then writes too, because WAIT covers
                        what this connection wrote, and the first acceptance may have come over another one. Otherwise 0
        4 ballots       JSON, a list of 1 to 100 ballots, each of which is a list of five texts and one list of texts:
            ballot id     chosen on the voter's side, the same for each retry; any text of 1 to 128 characters
            voter         opaque key of the voter, as long
            address       opaque keyed hash of the address, as long; never an address
            name          kept only where the poll asks for one; empty for none
            proof         id of a solved human check, good for one ballot; empty for none
            answers       ids: one, or several where the poll has `ma`, none twice

  Reply { outcome, version } of the first ballot, then of the next and so on, in one list. The first check that fails
  decides:
        poll_not_found      no such poll                                                  version 0
        repeated            this ballot id was accepted before; nothing counted now       version it got then
        poll_closed         closed by hand, or the deadline has passed by Redis' clock    version 0
        poll_not_open       upcoming: its creator has not opened it yet                   version 0
        invalid_answers     none, unknown, twice, or several without `ma`                 version 0
        name_required       the poll has `enter_name` and the name is blank               version 0
        duplicate_voter     this voter key has voted                                      version 0
        duplicate_address   this address key has voted, and the poll lacks `mip`          version 0
        proof_used          the human check was used for another ballot                   version 0
        accepted            counted, exactly once                                         version after it
]]
-- The lists that go to Redis must fit on Lua's stack.
local MAX_BALLOTS = 100
local MAX_ANSWERS = 100
-- How many fields are read about the poll, and then about each ballot.
local POLL_FIELDS = 9
local BALLOT_FIELDS = 4

local call, concat, encode, format = redis.call, table.concat, cjson.encode, string.format
local poll = KEYS[1]

-- Errs where anything is not as documented.
local function readBallots()
  local ballots = cjson.decode(ARGV[4])
  if #ballots == 0 or #ballots > MAX_BALLOTS then error() end
  -- Most often the first ballot's answer is the only one there is, so that it needs no call of its own.
  local likely = ballots[1][6][1] or ''
  local fields = { 'version', 'voters', 'closed', 'deadline', 'settled', 'ma', 'mip', 'enter_name', 'votes:' .. likely }
  local at = POLL_FIELDS
  for _, ballot in ipairs(ballots) do
    if #ballot ~= 6 or type(ballot[4]) ~= 'string' then error() end
    fields[at + 1], fields[at + 2] = 'b:' .. ballot[1], 'v:' .. ballot[2]
    fields[at + 3], fields[at + 4] = 'a:' .. ballot[3], 'p:' .. ballot[5]
    ballot.answers = concat(ballot[6], '","')
    at = at + BALLOT_FIELDS
  end
  return ballots, likely, fields
end
local sound, ballots, likely, fields = pcall(readBallots)
if not sound then return redis.error_reply('ERR cast-ballots: the arguments are not as documented') end

local found = call('HMGET', poll, unpack(fields))
local version, voters, closed, deadline = tonumber(found[1]), tonumber(found[2]), found[3], found[4]
local ma, mip, enterName = found[6] == '1', found[7] == '1', found[8] == '1'
local votes = { [likely] = tonumber(found[9]) or false }
local replies = {}
if not version then
  for index = 1, #ballots do replies[2 * index - 1], replies[2 * index] = 'poll_not_found', 0 end
  return replies
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = deadline ~= '' and now >= tonumber(deadline)

-- Left to Redis, a Lua number is printed as a float, which takes three times as long.
local function text(number) return format('%d', number) end

local function areInvalid(answers)
  local count = #answers
  if count == 0 or count > MAX_ANSWERS or (count > 1 and not ma) then return true end
  local taken = count > 1 and {}
  for _, answer in ipairs(answers) do
    if votes[answer] == nil then votes[answer] = tonumber(call('HGET', poll, 'votes:' .. answer)) or false end
    if not votes[answer] or (taken and taken[answer]) then return true end
    if taken then taken[answer] = true end
  end
end

-- What ballots of this very call have used up, beside what was found.
local used = {}
local function isUsed(place) return found[place] or used[fields[place]] end

local function findFault(ballot, at)
  if over or closed ~= '' then return not over and closed == 'upcoming' and 'poll_not_open' or 'poll_closed' end
  if areInvalid(ballot[6]) then return 'invalid_answers' end
  if enterName and not string.find(ballot[4], '%S') then return 'name_required' end
  if isUsed(at + 2) then return 'duplicate_voter' end
  if not mip and isUsed(at + 3) then return 'duplicate_address' end
  if isUsed(at + 4) then return 'proof_used' end
end

local entries, size = {}, 0
local function set(field, value)
  entries[size + 1], entries[size + 2] = field, value
  size = size + 2
end
local function use(place, value)
  used[fields[place]] = value
  set(fields[place], value)
end

local texts, counted, repeats = {}, {}, false
local firstOrdinal = voters + 1
local opening = '{"castAtMs":' .. text(now) .. ',"answers":["'
local at = POLL_FIELDS
for index, ballot in ipairs(ballots) do
  local outcome, result = 'repeated', tonumber(isUsed(at + 1))
  if result then
    repeats = true
  else
    outcome, result = findFault(ballot, at), 0
  end
  if not outcome then
    version, voters = version + 1, voters + 1
    outcome, result = 'accepted', version
    use(at + 1, text(version))
    use(at + 2, '')
    if not mip then use(at + 3, '') end
    if ballot[5] ~= '' then use(at + 4, '') end
    for _, answer in ipairs(ballot[6]) do
      votes[answer] = votes[answer] + 1
      counted[answer] = true
    end
    -- Answer ids were just found in the poll, so they need no escaping.
    texts[#texts + 1] = opening .. ballot.answers .. '"],"name":' .. (enterName and encode(ballot[4]) or 'null')
      .. ',"ballotId":' .. encode(ballot[1]) .. '}'
  end
  replies[2 * index - 1], replies[2 * index] = outcome, result
  at = at + BALLOT_FIELDS
end

if #texts > 0 then
  set('n:' .. text(firstOrdinal), concat(texts, '\n'))
  set('version', text(version))
  set('voters', text(voters))
  for answer in pairs(counted) do set('votes:' .. answer, text(votes[answer])) end
elseif over and found[5] ~= deadline then
  set('version', text(version + 1))
  set('settled', deadline)
else
  if repeats and ARGV[3] == '1' then call('HSET', poll, 'version', text(version)) end
  return replies
end
call('HSET', poll, unpack(entries))
-- Replicas have no use for the hint, and with it the write would stand between MULTI and EXEC.
redis.set_repl(redis.REPL_NONE)
call(ARGV[1], ARGV[2], '')
return replies
