import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: '前往首页',
  toPoll: '返回投票',
  reasons: {
    cross_site: {
      title: '这来自另一个网站',
      text: '没有执行任何操作。请打开页面本身再试。',
    },
    page_not_found: {
      title: '这里什么都没有',
      text: '链接可能不完整或有误。请检查后重新打开。',
    },
    poll_not_found: {
      title: '没有这个投票',
      text: '它可能已删除，或链接不完整、有误。没有计入任何票。',
    },
    rehearsal: {
      title: '这里不能投票',
      text: '演练投票的票是模拟的，用来试用程序和叠加层。',
    },
    not_managing: {
      title: '此页面仅供投票的创建者使用',
      text: '没有更改。请打开创建时显示的管理链接。',
    },
    too_large: {
      title: '一次内容太多',
      text: '没有执行任何操作。请缩短文字后再发送。',
    },
    bad_request: {
      title: '无法读取',
      text: '没有执行任何操作。请返回，刷新页面后再试。',
    },
    rate_limited: {
      title: '你的网络请求过多',
      text: '此请求未处理。请稍等再试；已计入的票不变。',
    },
    engine_unavailable: {
      title: '暂时无法读取票数',
      text: '没有丢失任何内容。请稍后再试。',
    },
    sign_in_unreachable: {
      title: '暂时无法登录',
      text: '没有计入任何票。请稍后再试。',
    },
    stopping: { title: '服务器正在重启', text: '没有丢失任何内容。请稍后再试。' },
    failed: {
      title: '我们这边出了问题',
      text: '请稍后再试。票绝不会重复计入。',
    },
  },
  signInStopped: {
    title: '你尚未登录',
    text: '登录中断或耗时过长。没有计入任何票。请打开投票并重新登录。',
  },
  busy: {
    title: '你正在排队',
    heading: '现在人很多',
    text: (time: string) => `你正在排队，没有丢失任何内容。此页面约 ${time}后自动打开。`,
    quiet: '已发送的票优先。自己重新打开页面不会更快。',
  },
};
