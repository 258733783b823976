import js from "@eslint/js";
import globals from "globals";

const markup = ["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe"].map((property) => ({
  property,
  message: "Text from outside is text: make elements with h().",
}));

export default [
  { ignores: ["**/*.bundle.js"] },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-restricted-properties": ["error", ...markup],
      "no-restricted-syntax": [
        "error",
        { selector: "[key.name=dangerouslySetInnerHTML]", message: markup[0].message },
      ],
      "no-restricted-globals": ["error", "fetch", "XMLHttpRequest", "localStorage", "event", "name"],
    },
  },
  { files: ["metamf/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/**/*.mjs", "*.js"], languageOptions: { globals: globals.node } },
];
