#!lua flags=allow-oom
--[[
  Applies a change by the creator, raises the version and publishes a hint. Allowed when Redis is
  out of memory: it needs none, and the creator must be able to close the poll. A change with an
  image is called without that flag. Call keep-poll-1.lua after it, because the expiry follows the
  end.

  KEYS  1 poll
  ARGV  1 publish       PUBLISH, or SPUBLISH in a cluster
        2 channel       of the poll
        3 closed        1 closes, 0 opens (an upcoming poll too), upcoming makes it upcoming again,
                        or closes it if a ballot was ever accepted; empty changes nothing, as below
        4 deadline      UNIX time in milliseconds, or none for no deadline; empty
        5 visibility    always | after_deadline | after_vote | hidden; empty
        6 view          SHA-256 of the new view key, hex; empty
        7 retention     milliseconds to keep the poll after its end, 0 for ever; empty
        8 closes_in     milliseconds after the next opening, in place of a deadline; empty
        9 admin         SHA-256 of the new admin key, hex; empty
       10 seen          status, deadline, visibility, closes_in, edition and revealed that the poll
                        must have, with one space between each; empty for any
       11 revealed      the best place that a poll shows while it is closed and hidden, none to hide
                        all; empty. The poll is changed only if it is closed and hidden then
  and for a correction:
       12 expected      the edition that the poll must have, empty before the first correction
       13 unvoted       1 requires that no ballot was ever accepted, otherwise 0: answers must then
                        have the same ids in the same order
       14 removed       how many names of fields follow, which are removed
       15...            `votes:<answer id>` and `image:<file>` for each, then names and values of
                        the fields of the new definition, as in create-poll-1.lua
  Reply 1 changed, 0 there is no such poll or it is not as expected: nothing is changed
]]
local state = redis.call('HMGET', KEYS[1], 'version', 'closed', 'deadline', 'settled', 'visibility', 'view', 'retention',
  'closes_in', 'admin', 'edition', 'sequence', 'revealed')
local version, closed, deadline, settled, visibility, view, retention = unpack(state)
local closesIn, admin, edition, sequence, revealed = unpack(state, 8)
if not version then return 0 end
if ARGV[12] and ((edition or '') ~= ARGV[12] or (ARGV[13] == '1' and sequence ~= '0')) then return 0 end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function status()
  if deadline ~= '' and now >= tonumber(deadline) then return 'closed' end
  return closed == 'upcoming' and closed or closed ~= '' and 'closed' or 'open'
end

local seen = table.concat({ status(), deadline, visibility, closesIn or '', edition or '', revealed or '' }, ' ')
if (ARGV[10] or '') ~= '' and seen ~= ARGV[10] then return 0 end

-- A passed deadline has a version of its own, stored or not, and readers may have seen it: see
-- read-poll-1.lua.
if deadline ~= '' and deadline ~= settled and now >= tonumber(deadline) then version = version + 1 end

local turn = ARGV[3]
if turn == 'upcoming' and sequence ~= '0' then turn = '1' end
if turn == 'upcoming' then closed = turn end
if turn == '0' then closed = '' end
if turn == '1' and (closed == '' or closed == 'upcoming') then closed = string.format('%d', now) end
if ARGV[4] ~= '' or ARGV[8] ~= '' then closesIn = ARGV[8] end
if ARGV[4] == 'none' then deadline = '' elseif ARGV[4] ~= '' then deadline = ARGV[4] end
if ARGV[8] ~= '' then deadline = '' end
if turn == '0' and (closesIn or '') ~= '' then
  deadline, closesIn = string.format('%d', now + closesIn), ''
end
-- A deadline in the past is settled by this change.
if ARGV[4] ~= '' then settled = '' end
if deadline ~= '' and now >= tonumber(deadline) then settled = deadline end
if ARGV[5] ~= '' then visibility = ARGV[5] end
local stepped = status() == 'closed' and visibility == 'hidden'
local step = ARGV[11] or ''
if step ~= '' and step ~= 'none' then
  if not stepped then return 0 end
  revealed = step
elseif not stepped or step == 'none' or ARGV[5] ~= '' then
  revealed = ''
end
if ARGV[6] ~= '' then view = ARGV[6] end
if ARGV[9] ~= '' then admin = ARGV[9] end
if (ARGV[7] or '') ~= '' then retention = ARGV[7] end

local fields = { 'version', string.format('%d', version + 1), 'closed', closed, 'deadline', deadline, 'settled', settled,
  'visibility', visibility, 'view', view, 'retention', retention or '', 'closes_in', closesIn or '', 'admin', admin,
  'revealed', revealed or '' }
local function set(field, value) fields[#fields + 1], fields[#fields + 2] = field, value end
local removed = { unpack(ARGV, 15, 14 + (ARGV[14] or 0)) }
-- An empty counter takes no votes either, so a torn log may restore the poll without the next step.
for _, name in ipairs(removed) do set(name, '') end
for at = 15 + #removed, #ARGV, 2 do set(ARGV[at], ARGV[at + 1]) end
redis.call('HSET', KEYS[1], unpack(fields))
if #removed > 0 then redis.call('HDEL', KEYS[1], unpack(removed)) end
redis.set_repl(redis.REPL_NONE)
redis.pcall(ARGV[1], ARGV[2], '')
return 1
