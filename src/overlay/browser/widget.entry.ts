import { definePollResults, PollResultsElement } from '../widget/poll-results-element.ts';

const script = document.currentScript;
if (script instanceof HTMLScriptElement && script.src)
  PollResultsElement.defaultRelay = new URL('.', script.src).href;
definePollResults();
