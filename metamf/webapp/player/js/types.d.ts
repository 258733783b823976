// The data of the player, by their names in all modules. Matrices are row by row, in rating units, NaN without a value.

declare module "*.css" {
  const text: string;
  export default text;
}

type Side = "row" | "col";
type Part = "UV" | "U" | "V"; // V: transposed, factors by columns
type Sides<Value> = { U: Value; V: Value };
type Span = [number, number];

/** A run as `metamf/webapp/run/replay.py` sends it, with its arrays decoded. */
interface Run {
  id: string; // differs between runs; edits, influence and the pinned run do not count
  matrix: { name: string };
  model: { name: string; title: string; kind: "paper" | "universal" | "nmf" | "mf"; rule: "paper" | "safe" | "exact" | "nmf" };
  round: "step" | "sweep";
  n: number; // rows of the window
  m: number;
  K: number;
  T: number; // the last step; 0 is the prior
  top: number; // position of the window's first row in the matrix, from 0
  left: number;
  total_rows: number;
  total_cols: number;
  rows: string[] | null;
  cols: string[] | null;
  nouns: [string, string]; // what a row and a column without a name is called
  mean: number; // rating = mean + std * standardised value
  std: number; // 0 where all ratings are one value
  low: number; // ends of the colours of ratings, and of the scale that estimates are clipped to
  high: number;
  clip: boolean;
  X: Float32Array; // given ratings
  truth: Float32Array | null; // true ratings of the hidden cells
  U: Float32Array; // (T + 1) * n * K, standardised units
  V: Float32Array;
  constants: Sides<number[]>; // coordinates that are always 1
  effects: Sides<number[]>; // coordinates that hold the effect of a row or column
  eta: number | null; // null for sweeps
  lambda: number | null;
  lower: Float32Array | null; // ends of the intervals after the last step
  upper: Float32Array | null;
  level: number | null;
  n_given: number; // in the whole matrix
  n_hidden: number;
  errors: { given: (number | null)[]; hidden: (number | null)[] | null }; // RMSE after each step, whole matrix
  limits: { factor: number; residual: number };
  pinned: (Run & { by: string }) | null; // the run that this one is compared with, and what made the difference
  features: string[] | null; // what the model was told of each column
  edits: Edits | null; // null where nothing can be edited
  influence: Influence | null;
  mark: Mark | null;
  levels: { name: string; value: number }[]; // errors on the hidden cells that the curves are compared with
  maps: StillMap[]; // maps of a method without factors; their values are those of one step, or of all
  reports: { updates: (number | string)[]; names: [string, string] } | null; // of a training: its steps, and its two errors
  groups: Groups | null;
  mf: Run | null; // matrix factorization by as many steps of the same kind
  answers: Float32Array | null; // the true rating of every cell, also of those that are given
  choices?: Choices; // of a run that the page computes
  meanError?: number | null; // on the hidden cells, of the mean of the given ratings
  kept: Map<string, any>; // what was computed of it
}

/** A cell that is pointed out. */
type Mark = { row: number; col: number; text: string };

interface StillMap {
  title: string;
  detail: string;
  kind: Scale["kind"];
  noun: string;
  values: Float32Array;
  low: number; // ends of its colours; of widths: of the scale of the ratings, equal without one
  high: number;
  below: string; // words at the ends of signed values
  above: string;
}

type Edit = [number, number, number | null]; // row, column, rating or null where it is hidden
interface Edits {
  made: Edit[];
  count: number;
  can_undo: boolean;
  can_redo: boolean;
  scale: RatingScale;
  seen: number; // the last edit that the server knows
  note: string;
}
type RatingScale = [number, number, number | null] | null; // lowest and highest rating and the step between two
type Action = { op: string; row?: number; col?: number; value?: string | number }; // set, hide, restore; undo, redo, reset

/** The ratings that the estimate of a cell depends on most. */
type Influence = { cell: Span; items: InfluenceItem[]; examined: number; note: string };
// row and column, which may lie outside of the window; how far the rating moves the estimate; the rating; names
type InfluenceItem = [number, number, number, number, string, string];

type Hover = { row: number | null; col: number | null; factor: number | null };
type Pointed = { id?: string; place?: Place; x?: number; y?: number; keyboard?: boolean; said?: string }; // id: of the picture
type Colouring = "scale" | "levels"; // see COLOUR_WORDS in scene.js

interface State {
  t: number; // the step on the screen, 0 to T
  T: number;
  asked: number | null; // the step that the visitor last asked for; null: the result is shown
  playing: boolean;
  hover: Hover | null; // what the pointer is on
  pointer: Pointed | null; // and where it is
  cell: Span | null; // the cell that is inspected, as row and column of the window
  factor: number | null; // its factor that was pointed at last; null: the one with the largest term
  side: Side; // whose factors the inspector shows
  n: number;
  m: number;
  lecture: boolean;
  factors: boolean; // whether U and V are beside the map of the model
  colours: Colouring; // of the estimates
  edited: boolean; // whether the run has one beside it that it is compared with
  difference: boolean; // whether the visitor asks for the difference to that run
}
type PlayerEvent = { type: string; [name: string]: any }; // see `reduce` in state.js
type Tell = (name: string, value: any) => void; // reaches the server
type Dispatch = (event: PlayerEvent) => void;

type Scale = { kind: "rating" | "signed" | "width"; low: number; high: number }; // ends that are equal have one colour
type Palette = { css: string[]; rgb: Uint8Array; bright: Uint8Array }; // rgb: 3 bytes a colour; bright: 1 under black ink
type Key = { mark: "given" | "hidden" | "empty" | "constant"; text: string };
type LegendItem = { scale: Scale | null; name: string; low: string; high: string; words: string; keys: Key[] };
type SceneName = "train" | "fill" | "watch" | "fit" | "prior" | "given" | "maps" | "map" | "pick";

/** One matrix of a picture. */
interface Block {
  part: Part;
  name: string;
  values: Float32Array;
  scale: Scale;
  marks: Uint8Array | null; // 1 where a dot says "given", 2 where a ring says "hidden"
  constant: number[]; // positions along the factors that are always 1
  onlyGiven?: boolean; // the given cells alone have numbers, which then say that they are given
}

interface Picture {
  id: string;
  form: "map" | "product" | "words"; // a product has U and V beside its cells
  title: string;
  detail: string;
  alt: string;
  reads: string; // what a number of the map is called beside the pointer, where the text there does not have it
  blocks: Block[]; // the map itself, or U, V and U V^T
  legend: LegendItem[];
  factorOrder: number[]; // which factor is where: those that stand apart come first
  special: number; // how many stand apart
}

type Segment = { from: number; count: number; start: number; pitch: number }; // cells of one size without a gap
type Axis = { count: number; segments: Segment[]; gap: number; start: number; end: number };
type Label = { text: string; at: number; x: number; y: number; anchor: "start" | "middle" | "end"; angle: number };
type NumberSizes = { numberSize: number; wholeSize: number; signedSize: number }; // 0: the cells are too small
type NumberWidths = { number: number; whole: number; signed: number }; // of the widest ones in a font of size 1

/** Where everything of a figure is, in CSS pixels. */
interface Layout extends NumberSizes {
  width: number;
  height: number;
  rows: Axis;
  cols: Axis;
  across: Axis | null; // factors as columns of U
  down: Axis | null; // factors as rows of V^T
  rowLabels: Label[];
  colLabels: Label[];
  overhang: number; // how far column names reach beyond the last column
  nameSize: number;
  colSize: number;
  groups?: { rows: GroupLabel[]; cols: GroupLabel[] };
}
type Groups = { rows: [string, number][]; cols: [string, number][] }; // names and sizes of groups that are next to each other
type GroupLabel = { text: string; start: number; end: number };
/** What a layout needs to know. */
interface LayoutRequest {
  n: number;
  m: number;
  rowNames: string[];
  colNames: string[];
  rowsNamed: boolean; // false: the names are positions
  colsNamed: boolean;
  top: number;
  left: number;
  width: number; // room for all figures
  screenHeight: number;
  lecture: boolean;
  density: number; // device pixels for a CSS pixel
  measure: (text: string) => number; // width of a text in a font of size 1
  widths: NumberWidths;
  whole?: boolean; // names are not cut
  special?: number; // how many factors stand apart
}

/** What the layout of maps side by side needs to know beyond that. */
interface SideBySide extends LayoutRequest {
  groups: Groups | null;
  above: number; // pixels of the page above the maps' names and cells
  of: number; // the map that may have factors beside it
  K: number; // how many, 0 where it never has
}

/** Of the page. */
type Look = { dark: boolean; text: string; page: string; font: string; density: number; measure: (text: string) => number };
type NumberTable = { caption: string; cols: string[]; rows: string[][] };
type Place = { part: Part; row: number | null; col: number | null; position: number | null }; // position: along the factors
type Spot = { part: Part; row: number; col: number; position: number }; // a cell; in U and V where the map is entered again
type Field = { n: number; m: number; K: number }; // of a figure; K: 0 without factors
type Words = { head: string[]; lines: string[] }; // beside the pointer

/** What a scene has beside its pictures. */
interface SceneParts {
  steps: boolean; // the control of the step and its keys
  before: boolean; // it is the state before the first step
  inspected: boolean; // a cell can be chosen, to see how its number comes about
  coloured: boolean; // the colours of the estimates can be chosen
  equations: boolean; // Eqs. (6) and (7) are above
  curves: boolean; // the error per step is beside the maps
  beside: boolean; // and, on a wide screen, at their right
  points: boolean; // rows and columns are points, too
  compared: boolean; // the model is next to matrix factorization and the truth
  tells: boolean; // the page, and not the player, explains a cell that is chosen
  told: boolean; // the text beside the pointer holds estimates and true ratings
  across: number; // how many maps are side by side on a wide screen
}

type Sum = ReturnType<typeof import("./run.js").sumOf>;
type Path = ReturnType<typeof import("./run.js").pathOf>;
type Pulls = NonNullable<ReturnType<typeof import("./run.js").pullsOn>>;
type Curve = { name: string; values: (number | null)[]; colour: string; dash?: string; sign?: "circle" | "diamond" };

interface PlayerData {
  run: any;
  scene: SceneName;
  asks: string[];
  // `address` false: step and cell are not in the address
  options: { address?: false; lecture?: boolean; start?: boolean };
  live?: LiveData | null;
}
type KeyRow = [string, string]; // keys, and what they do
type CornerData = { on: boolean; keys: KeyRow[] }; // whether lecture mode is on; the keys of this page

/** One matrix as the network reads it: its given entries, in standardised units (`batchOf` in network.js). */
interface Batch {
  N: number;
  M: number;
  row: ArrayLike<number>;
  col: ArrayLike<number>;
  x: ArrayLike<number>; // (nnz,)
  rowCount: Float64Array;
  colCount: Float64Array;
  rowFeatures: Float64Array | null; // (N, P)
  colFeatures: Float64Array | null;
}

/** A checkpoint of the paper's network; its parameters by their names in `metamf/network/`. */
interface Network {
  config: { rank: number; steps: number; safe_steps: boolean; row_features?: number; col_features?: number };
  parameters: Record<string, any>;
}

/** A table of which the page knows all that can be given (`table_of` in metamf/webapp/player/live.py). */
interface LiveTable {
  seed: number | string;
  n: number;
  m: number;
  rows: string[] | null;
  cols: string[] | null;
  groups: Groups | null;
  scale: RatingScale;
  values: Float32Array; // the ratings that there are
  truth: Float32Array | null;
  orders: Record<string, number[]>; // cells in the order in which they are given, by the way of giving
}

/** What the page needs to compute runs by itself. */
interface Live {
  id: string;
  network: Network;
  trained: Span | null; // mean and standard deviation of the training's ratings
  trainedScale: Span | null;
  start: Float64Array[]; // random factors of rows and columns
  tables: LiveTable[];
  measured: Record<string, { percent: number[]; model: number[]; mf: number[] }> | null; // errors over many nights
}

/** What is chosen: percent of the ratings, how they are given, the night, the number of steps, and the edits. */
interface Choices {
  keep: number;
  by: string;
  seed: number | string;
  steps: number;
  made: Edit[];
}
/** `id` of a `Live`, what the server has drawn, and the last message of the page that it has seen. */
type LiveData = { id: string; choices: Omit<Choices, "made">; seen: number };
type MadeEdits = { made: Choices["made"]; past: Choices["made"][]; future: Choices["made"][] };
