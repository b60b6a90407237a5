// The words of the page, in English and in Chinese.
const CHINESE = {
  "Pods": "Pod 列表",
  "Pods by use": "Pod 用量",
  "Sample cluster, made up": "示例集群（虚构）",
  "As of {time}": "截至 {time}",
  "Find": "查找",
  "Name, node or status": "名称、节点或状态",
  "Namespace": "命名空间",
  "All namespaces": "所有命名空间",
  "All": "全部",
  "Running": "运行中",
  "Waiting": "等待中",
  "Failing": "失败",
  "Completed": "已完成",
  "Name": "名称",
  "Status": "状态",
  "Ready": "就绪",
  "Restarts": "重启",
  "Age": "存在时间",
  "Node": "节点",
  "CPU": "CPU",
  "Memory": "内存",
  "Refresh": "刷新",
  "Live, every 5 seconds": "实时，每 5 秒",
  "It could not be refreshed: {why}": "无法刷新：{why}",
  "No pod fits.": "没有符合的 Pod。",
  "There are no pods here.": "这里没有 Pod。",
  "There are more pods than are shown.": "Pod 数量超出所显示的范围。",
  "Show all {count}": "显示全部 {count} 个",
  "{shown} of {count} pods": "{count} 个 Pod 中的 {shown} 个",
  "Made by": "创建者",
  "nothing": "无",
  "none": "无",
  "Address": "地址",
  "Container": "容器",
  "{state}, {restarts} restarts": "{state}，重启 {restarts} 次",
  "Why": "原因",
  "Delete…": "删除…",
  "Delete {name}": "删除 {name}",
  "Asked. Nothing is deleted before a person has said yes.": "已请求。在有人同意之前不会删除任何内容。",
  "Not deleted: {why}": "未删除：{why}",
  "{used} of {limit}": "{used} / {limit}",
  "{cpu} CPU and {memory} together": "合计 {cpu} CPU，{memory} 内存",
  "Waiting for the pods…": "正在等待 Pod…",
  "The call was cancelled.": "调用已取消。",
};
let locale = "en";

function setLocale(wanted) {
  locale = typeof wanted === "string" && wanted ? wanted : "en";
  document.documentElement.lang = locale;
}

function t(words, values = {}) {
  const said = (locale.startsWith("zh") && CHINESE[words]) || words;
  return said.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}
