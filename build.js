/**
 * Bundles the player's JavaScript and style sheets into one minified file, below the licences of the packages that are in
 * it; with --check, fails where that file differs.
 */
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

/** A comment with the licences of the packages that `files` come from, one line for each paragraph. */
function licencesOf(files) {
  const packages = new Map(); // by their licence
  for (const name of [...new Set(files.flatMap((file) => /node_modules\/([^/]+)/.exec(file)?.[1] ?? []))].sort()) {
    const licence = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
    packages.set(licence, [...(packages.get(licence) ?? []), name]);
  }
  const lines = [...packages].flatMap(([licence, names]) =>
    [`${names.join(", ")}:`, ...licence.split(/\n\s*\n/).map((paragraph) => paragraph.replace(/\s+/g, " "))]);
  return `/*!\n${lines.join("\n")}\n*/\n`;
}

const { metafile, outputFiles } = await build({
  entryPoints: ["metamf/webapp/player/js/index.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  metafile: true,
  plugins: [styles],
  write: false,
});
const text = licencesOf(Object.keys(metafile.inputs)) + outputFiles[0].text;
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (text !== readFileSync(FILE, "utf8")) {
  console.error(`${FILE} is not what its sources give: run \`npm run build\` and commit it`);
  process.exitCode = 1;
}
