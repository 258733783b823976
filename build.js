/** Bundles the player's JavaScript and style sheets into one minified file; with --check, fails where that file differs. */
import { readFileSync, writeFileSync } from "node:fs";

import { build, transform } from "esbuild";

const FILE = "metamf/webapp/player/player.bundle.js";
const styles = {
  name: "style sheets as minified text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    }),
};
const { outputFiles } = await build({
  entryPoints: ["metamf/webapp/player/js/index.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  plugins: [styles],
  write: false,
});
const [{ text }] = outputFiles;
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (text !== readFileSync(FILE, "utf8")) {
  console.error(`${FILE} is not what its sources give: run \`npm run build\` and commit it`);
  process.exitCode = 1;
}
