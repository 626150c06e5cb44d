#!lua
--[[
  Casts 1 to 100 ballots of one poll: checks each, counts it, stores its voter, raises the version
  and publishes a hint, in one atomic step. src/examples/voting-front-end.py calls it from Python.

  After any error (timeout, lost connection, failover) call again with the same ballot ids. The
  reply is then a version if the first call was lost, and `repeated` if it was executed. Never retry
  with a new ballot id. Ballots are checked in order, each as if it were alone. A call costs several
  times as much as one more ballot in it, so cast ballots that wait together.

  KEYS  1 poll          hash P{id}:poll-3; P is REDIS_PREFIX, {id} the poll id in braces; see
                        create-poll-1.lua
  ARGV  1 publish       PUBLISH, or SPUBLISH if Redis runs in cluster mode
        2 channel       P{id}:hints; subscribers get an empty message and read the poll again
        3 wait          1 if WAIT follows on this connection, otherwise 0. With 1 a repeated ballot
                        writes too, because WAIT covers only writes of this connection, and the
                        first call may have used another one
  and eight texts for each ballot. A key is the first 16 characters of the base64url form of a
  SHA-256.
        4 ballot id     up to 128 characters, the same for each retry
        5 voter         key of an opaque name of the voter
        6 address       key of a keyed hash of the address, never of the address itself
        7 proof         key of the id of a solved human check, valid for one ballot; empty for none
        8 answers       ids separated by commas: one, or several if the poll has `ma`, as many as
                        its `choices`, no id twice
        9 network       tag of the voter's network, without white space; empty for none. For a vote
                        from chat `@twitch`, `@youtube` or `@kick`
       10 name          stored only if the poll requires one; empty for none
       11 facts         what the front end knows of the voter: `signed_in` (a registered user, and
                        the voter is a key of that account), `vpn` (the address is one of a VPN),
                        `signed_in,vpn` or empty; then from the second round on `round=` and the
                        number of the round, after a comma if it is not the first

  Reply  for each ballot in order a number, the version after it, if it was accepted. Otherwise a
         text, by the first check that fails:
        poll_not_found      no such poll
        repeated <version>  this ballot id was accepted before, and the poll had this version then;
                            nothing was counted now
        round_over          the ballot is of another round than the poll
        poll_closed         closed by its creator, or the deadline has passed by the clock of Redis
        poll_not_open       upcoming: its creator has not opened it
        sign_in_required    the poll has `only_reg`, and the facts lack `signed_in`
        vpn_rejected        the facts have `vpn`, and the poll lacks `vpn`
        invalid_answers     none, unknown, repeated, several without `ma`, or not as many as
                            `choices`
        name_required       the poll has `enter_name` and the name is blank
        duplicate_voter     this voter has voted
        duplicate_address   this address has voted, and the poll lacks `mip`
        proof_used          the human check was used for another ballot
]]
local MAX_BALLOTS, TEXTS, HINT_MS = 100, 8, 25
local call, find, format = redis.call, string.find, string.format
local poll, size = KEYS[1], (#ARGV - 3) / TEXTS

local fields = { 'version', 'voters', 'sequence', 'closed', 'deadline', 'settled', 'ma', 'mip', 'enter_name', 'hinted',
  'verifiable', 'only_reg', 'vpn', 'choices', 'change_vote', 'round' }
local STATE = #fields
local valid = size >= 1 and size <= MAX_BALLOTS and size % 1 == 0
for at = 4, valid and #ARGV or 0, TEXTS do
  local id, voter, address, facts, place = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 7], #fields
  if facts ~= '' then facts = string.gsub(facts, ',?round=%d+$', '') end
  valid = valid and id ~= '' and voter ~= '' and address ~= '' and not find(ARGV[at + 5], '%s') and
    (facts == '' or facts == 'signed_in' or facts == 'vpn' or facts == 'signed_in,vpn')
  fields[place + 1], fields[place + 2], fields[place + 3] = 'b:' .. id, 'v:' .. voter, 'a:' .. address
end
if not valid then return redis.error_reply('ERR cast-ballots: the arguments are not as documented') end

local found = call('HMGET', poll, unpack(fields))
local version, voters, sequence, closed, deadline = tonumber(found[1]), found[2], found[3], found[4], found[5]
local ma, mip, enterName, verifiable = found[7] == '1', found[8] == '1', found[9] == '1', found[11] == '1'
local onlyReg, vpn, changeVote = found[12] == '1', found[13] == '1', found[15] == '1'
local round = found[16] or '1'
local least, most = string.match(found[14] or '', '(%d+) (%d+)')
least, most = tonumber(least or 1), tonumber(most or (ma and 100 or 1))
if version and not found[12] then
  -- A poll from before these fields. Quotes inside a text are escaped, so a text cannot look like a
  -- member.
  local definition = call('HGET', poll, 'definition')
  onlyReg, vpn = find(definition, '"only_reg":true', 1, true), find(definition, '"vpn":true', 1, true)
end
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = version and deadline ~= '' and now >= tonumber(deadline)
local rejection = not version and 'poll_not_found' or over and 'poll_closed' or closed == 'upcoming' and 'poll_not_open'
  or closed ~= '' and 'poll_closed'

-- Fields to write, by name and in order. `votes` has the counter of each answer, false for unknown
-- ones.
local used, entries, votes, lists, counted, chat = {}, {}, {}, {}, {}, {}
local function set(field, value) entries[#entries + 1], entries[#entries + 2], used[field] = field, value, value end
local function isKnown(answer)
  if votes[answer] == nil then votes[answer] = tonumber(call('HGET', poll, 'votes:' .. answer)) or false end
  return votes[answer]
end
-- Returns the answers of a ballot, false if they are invalid. Cached, because most ballots of a
-- call have the same few.
local function listOf(answers)
  if lists[answers] ~= nil then return lists[answers] end
  local list, taken = {}, {}
  lists[answers] = false
  for answer in string.gmatch(answers .. ',', '([^,]*),') do
    if taken[answer] or #list == most or not isKnown(answer) then return false end
    list[#list + 1], taken[answer] = answer, true
  end
  if #list < least then return false end
  lists[answers] = list
  return list
end

local replies, accepted, repeats, castAt = {}, 0, false, format(' %d ', now)
for index = 1, size do
  local place, at = STATE + 3 * index - 2, TEXTS * (index - 1) + 4
  local ballot, voter, address, proof = fields[place], fields[place + 1], fields[place + 2], ARGV[at + 3]
  local answers, name, facts = ARGV[at + 4], ARGV[at + 6], ARGV[at + 7]
  local earlier = found[place] or used[ballot]
  local list = not earlier and not rejection and listOf(answers)
  proof = proof ~= '' and 'p:' .. proof
  if earlier then
    repeats, replies[index] = true, 'repeated ' .. string.match(earlier, '^%d+ (%d+)')
  elseif version and (facts ~= '' and string.match(facts, 'round=(%d+)') or '1') ~= round then replies[index] = 'round_over'
  elseif rejection then replies[index] = rejection
  elseif onlyReg and not find(facts, 'signed_in', 1, true) then replies[index] = 'sign_in_required'
  elseif not vpn and find(facts, 'vpn', 1, true) then replies[index] = 'vpn_rejected'
  elseif not list then replies[index] = 'invalid_answers'
  elseif enterName and not find(name, '%S') then replies[index] = 'name_required'
  elseif found[place + 1] or used[voter] then replies[index] = 'duplicate_voter'
  elseif not mip and (found[place + 2] or used[address]) then replies[index] = 'duplicate_address'
  elseif proof and (used[proof] or call('HEXISTS', poll, proof) == 1) then replies[index] = 'proof_used'
  else
    version, voters, sequence, accepted = version + 1, voters + 1, sequence + 1, accepted + 1
    local kept = enterName and name or ''
    set(ballot, format('%d %d', sequence, version) .. castAt .. ARGV[at + 5] .. ' ' .. answers .. ' ' .. kept)
    set(voter, changeVote and '0 0 ' .. ARGV[at] or '')
    if not mip then set(address, '') end
    if proof then set(proof, '') end
    if verifiable then set('l:' .. sequence, ARGV[at]) end
    local platform = string.match(ARGV[at + 5], '^@(%l+)$')
    if platform then
      local counter = 'chat:' .. platform
      chat[counter] = (chat[counter] or call('HGET', poll, counter) or 0) + 1
    end
    for _, answer in ipairs(list) do votes[answer], counted[answer] = votes[answer] + 1, true end
    replies[index] = version
  end
end

if accepted == 0 and over and found[6] ~= deadline then
  version = version + 1
  set('settled', deadline)
elseif accepted == 0 and not (repeats and ARGV[3] == '1') then
  return replies
end
set('version', version)
if accepted > 0 then
  set('voters', voters)
  set('sequence', sequence)
  for answer in pairs(counted) do set('votes:' .. answer, votes[answer]) end
  for counter, count in pairs(chat) do set(counter, count) end
end
-- A clock that was set back must not suppress hints. A repeated ballot changes nothing and
-- publishes none.
local hints = #entries > 2 and (accepted == 0 or now < tonumber(found[10]) or now - found[10] >= HINT_MS)
if hints then set('hinted', now) end
-- One command: two would be between MULTI and EXEC in the log of Redis, and a torn log may restore
-- half of them.
call('HSET', poll, unpack(entries))
if hints then
  -- Not replicated: replicas need no hint, and it would put the write between MULTI and EXEC.
  redis.set_repl(redis.REPL_NONE)
  redis.pcall(ARGV[1], ARGV[2], '')
end
return replies
