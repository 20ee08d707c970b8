// A site of Docusaurus: blocks ```` ```ptx playground ```` of its documents become widgets with their recorded runs.
import warpgrid from "warpgrid/remark";

export default {
  title: "Stores",
  url: "https://docs.example",
  baseUrl: "/hosts/docusaurus/",
  onBrokenLinks: "throw",
  // The files of the widget lie in `static/warpgrid`.
  scripts: [{ src: "/hosts/docusaurus/warpgrid/warpgrid-widget.js", type: "module" }],
  stylesheets: ["/hosts/docusaurus/warpgrid/warpgrid-snapshot.css"],
  presets: [["classic", { docs: { routeBasePath: "/", remarkPlugins: [warpgrid] }, blog: false, pages: false, sitemap: false }]],
};
