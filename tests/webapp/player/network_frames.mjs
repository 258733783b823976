/** Reads the weights of a checkpoint and matrices, and writes the estimates of every step that the page computes. */
import { readFileSync } from "node:fs";

import { networkOf } from "../../../metamf/webapp/player/js/live.js";
import { adapt, batchOf, factorizeBySteps } from "../../../metamf/webapp/player/js/network.js";
import { bytes } from "../../../metamf/webapp/player/js/run.js";

const { weights, matrices } = JSON.parse(readFileSync(0, "utf8"));
const network = networkOf(weights);
const floats = (text) => (text ? Float64Array.from(new Float32Array(bytes(text))) : null);

/** Every step's U V^T in rating units. */
const frames = (path, K, { N, M, mean, std }) => path.map(([U, V]) =>
  Array.from({ length: N * M }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += U[Math.floor(at / M) * K + k] * V[(at % M) * K + k];
    return mean + std * sum;
  }));

process.stdout.write(JSON.stringify(matrices.map((matrix) => {
  const { N, M, row, col, values, mean, std, T, colFeatures, start } = matrix;
  const x = values.map((value) => (value - mean) / (std || 1));
  const batch = batchOf({ N, M, row, col, x, colFeatures: floats(colFeatures) });
  if (start) {
    const [U, V] = start.map(floats);
    return { frames: frames(factorizeBySteps(U, V, U.length / N, batch, T), U.length / N, matrix) };
  }
  const { path, rule, K } = adapt(network, batch, T);
  return { rule, frames: frames(path, K, matrix) };
})));
