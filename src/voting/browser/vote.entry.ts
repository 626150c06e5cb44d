import { followComments } from './live-comments.ts';
import { LivePoll } from './live-poll.ts';
import { MovingOn } from './moving-on.ts';
import { find, focusNotice, localizeTimes } from './page-manners.ts';
import { VoteForm } from './vote-form.ts';

localizeTimes(document);
focusNotice();

const form = find<HTMLFormElement>(document, 'vote');
if (form) new VoteForm(form);

const article = find(document, 'poll');
const results = find(document, 'results');
const show = article && MovingOn.showOf(article.dataset['poll'] ?? '');
const live = article && results && new LivePoll(article, results, () => movingOn?.leave());
const movingOn =
  article && show !== undefined
    ? new MovingOn(show, article.dataset['poll'] ?? '', {
        mark: article.dataset['mark'],
        onStanding: ({ state }) => live?.hear(state),
      })
    : undefined;

const comments = find(document, 'comments');
if (comments) followComments(comments);
