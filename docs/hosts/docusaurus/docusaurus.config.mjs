// A Docusaurus site. Code blocks ```` ```ptx playground ```` become widgets with recorded runs.
import warpgrid from "warpgrid/remark";

export default {
  title: "Stores",
  url: "https://docs.example",
  baseUrl: "/hosts/docusaurus/",
  onBrokenLinks: "throw",
  // `static/warpgrid` contains the files of the widget.
  scripts: [{ src: "/hosts/docusaurus/warpgrid/warpgrid-widget.js", type: "module" }],
  stylesheets: ["/hosts/docusaurus/warpgrid/warpgrid-snapshot.css"],
  presets: [["classic", { docs: { routeBasePath: "/", remarkPlugins: [warpgrid] }, blog: false, pages: false, sitemap: false }]],
};
