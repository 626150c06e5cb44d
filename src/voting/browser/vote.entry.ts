import { followComments } from './live-comments.ts';
import { LivePoll } from './live-poll.ts';
import { find, focusNotice, localizeTimes } from './page-manners.ts';
import { VoteForm } from './vote-form.ts';

localizeTimes(document);
focusNotice();

const form = find<HTMLFormElement>(document, 'vote');
if (form) new VoteForm(form);

const article = find(document, 'poll');
const results = find(document, 'results');
if (article && results) new LivePoll(article, results);

const comments = find(document, 'comments');
if (comments) followComments(comments);
