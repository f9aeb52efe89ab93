// What the page says, in the reader's language.

const SAID = {
  en: {
    article: "article", entry: "journal entry", asset: "asset",
    articles: "articles", entries: "journal entries", assets: "assets",
    search: "Search titles, addresses, capsules",
    found: (n) => n === 1 ? "1 found" : `${n} found`,
    more: (n) => `Show ${n} more`,
    to: (n) => `Points to (${n})`,
    from: (n) => `Pointed to by (${n})`,
    nothing: "nothing",
    lost: "Leads nowhere",
    noCapsule: "No capsule.",
    rule: "A rule: it governs no asset of its own.",
    empty: "There is nothing in this store yet.",
    loose: "about no article",
    choose: "Choose a node to see its capsule, what it points to and what points to it.",
    keys: "Keys on the graph: arrows go from node to node, Shift and arrows move the picture, + and − zoom, 0 shows "
      + "all, Escape lets go, / searches.",
    closer: "Zoom in", wider: "Zoom out", all: "Show all",
    graph: (a, e, s) => `Graph of ${a} ${a === 1 ? "article" : "articles"}, ${e} journal ${e === 1 ? "entry" : "entries"} `
      + `and ${s} ${s === 1 ? "asset" : "assets"}`,
  },
  zh: {
    article: "文章", entry: "日志条目", asset: "资产",
    articles: "文章", entries: "日志条目", assets: "资产",
    search: "搜索标题、地址、摘要",
    found: (n) => `找到 ${n} 项`,
    more: (n) => `再显示 ${n} 项`,
    to: (n) => `指向（${n}）`,
    from: (n) => `被指向（${n}）`,
    nothing: "无",
    lost: "无处可达",
    noCapsule: "没有摘要。",
    rule: "这是一条规则：它不管辖自己的资产。",
    empty: "此存储中还没有内容。",
    loose: "不属于任何文章",
    choose: "选择一个节点，查看它的摘要、它指向的内容以及指向它的内容。",
    keys: "图上的按键：方向键在节点间移动，Shift 加方向键移动画面，+ 和 − 缩放，0 显示全部，Esc 取消选择，/ 搜索。",
    closer: "放大", wider: "缩小", all: "显示全部",
    graph: (a, e, s) => `图：${a} 篇文章，${e} 条日志，${s} 个资产`,
  },
};
const language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
const said = SAID[language];
document.documentElement.lang = language === "zh" ? navigator.language : "en";
