#!lua
--[[
  Opens a poll unless its id is taken. One step, so that two creators can never both believe they own an id.

  KEYS  1 poll          hash: all there is of a poll but its comments, see below
  ARGV  1 definition    JSON, what never changes
        2 admin         SHA-256 of the admin key, hex
        3 view          SHA-256 of the view key, hex
        4 public        1 where the poll may be listed, otherwise 0
        5 deadline      UNIX time in milliseconds, or empty
        6 visibility    always | after_deadline | hidden
        7 ma  8 mip  9 enter_name    1 or 0
       10 retention     milliseconds to keep the poll after its end, 0 for ever
       11 closed        `upcoming` where the poll takes no ballot until it is opened, otherwise empty
       12...            answer ids, at most 100, of the characters A-Z a-z 0-9 - _
  Reply 1 created, 0 the id is taken

  The hash holds
    definition, admin, view, public, deadline, visibility, ma, mip, enter_name, retention     as ARGV
    version, epoch     whole numbers
    closed             UNIX time in milliseconds of the creator's own close, `upcoming` until the poll is opened for the first
                       time, otherwise empty
    settled            the deadline whose passing has been noted, otherwise empty
    votes:<answer id>  one counter each
    voters             how many ballots there are
    n:<ordinal>        ballots in the order of acceptance, from 1: JSON of that one on a line of its own, and of those that
                       were cast together with it after it
  and what has been used up:
    b:<ballot id>      the version that the ballot got: what makes a retry safe
    v:<voter>          empty
    a:<address>        empty, only where the poll lacks `mip`
    p:<proof>          empty, the id of a solved human check
  It is one hash so that each step is one write, and whatever happens to Redis keeps a step whole: see cast-ballots-1.lua.
]]
if redis.call('EXISTS', KEYS[1]) > 0 then return 0 end

local fields = {
  'definition', ARGV[1], 'admin', ARGV[2], 'view', ARGV[3], 'public', ARGV[4], 'deadline', ARGV[5],
  'visibility', ARGV[6], 'ma', ARGV[7], 'mip', ARGV[8], 'enter_name', ARGV[9], 'retention', ARGV[10],
  'version', '1', 'epoch', '1', 'closed', ARGV[11], 'settled', '', 'voters', '0',
}
for index = 12, #ARGV do
  fields[#fields + 1] = 'votes:' .. ARGV[index]
  fields[#fields + 1] = '0'
end
redis.call('HSET', KEYS[1], unpack(fields))
return 1
