// A catalog is compiled where it is imported (catalogs.ts of web/).
declare module "*.po" {
  const catalog: import("@lingui/core").Messages;
  export default catalog;
}
