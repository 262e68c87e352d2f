import { brief, count, roundedUp } from "./numbers.js";

const KNOWN = 0.9; // share of F, or of G(F), above which it counts as learned
const SOME = 0.5;
const CLEAN = 1.5; // of the line: an error up to which F is known without much noise
export const UNDER = 0.9; // of the line: what is nearer to it may be chance of the test points

/** The risk of the ResNet that the sentence speaks about: rounded up, and only where it is under the line. */
export function reached({ point, line }) {
  const error = point?.["3resnet"].error;
  return error > 0 && error < UNDER * line ? roundedUp(error) : null;
}

/** In a sentence or two what is seen now, and no more than that. */
export function sentence(view) {
  const { settings, point, line } = view;
  if (!point || point.epoch === 0)
    return `Press Start: a ResNet, a two-layer network and a kernel learn the same ${count(settings.n)} samples of ${targetName(settings)}.`;
  const { "3resnet": resnet, "2layer": two } = point;
  if (!Number.isFinite(resnet.error) || resnet.error > 1e6) return `The ResNet has diverged at the learning rate ${settings.rate}: take a smaller one.`;
  if (settings.alpha === 0) return `Without G(F) there is no line to get under: the ResNet is at ${brief(resnet.error)}, the two-layer network at ${brief(two.error)}.`;
  return resnet.error < UNDER * line ? under(view, resnet, two) : above(view, resnet, two);
}

function targetName({ beta, alpha }) {
  if (beta === 0) return "αG(F), a pure parity";
  return alpha === 0 ? "βF" : "H = βF + αG(F)";
}

function under({ settings, line, kernel, need, point }, resnet, two) {
  const risk = reached({ point, line });
  const others = [["the two-layer network", two.error], ...(kernel ? [["the kernel", kernel.risk]] : [])];
  const below = others.filter(([, error]) => error < UNDER * line);
  const parts = [`The ResNet is under the line with ${count(settings.n)} samples: ${brief(risk)} against ${brief(line)}; ${compared(others, below)}.`];
  if (need?.risk === risk) parts.push(floorSentence(need, settings, kernel && kernel.risk <= risk));
  return parts.join(" ");
}

const named = (learners) => learners.map(([name, error]) => `${name} (${brief(error)})`).join(" and ");

/** Who else is under the line, and who is not. */
function compared(others, below) {
  if (!below.length) return `${named(others)} ${others.length > 1 ? "are" : "is"} not`;
  const rest = others.filter((one) => !below.includes(one));
  return [`so ${below.length > 1 ? "are" : "is"} ${named(below)}`, ...(rest.length ? [`${named(rest)} is not`] : [])].join(", ");
}

function floorSentence({ risk, floor, samples }, { n }, kernelDoes) {
  if (kernelDoes) return "There is no gap: the kernel does as well.";
  if (floor <= BigInt(n)) return "The floor proves no gap here: there are so few products that a kernel could know them all.";
  const predicted = samples ? `; this one is predicted to need about ${brief(samples)}` : "";
  return `No kernel fixed beforehand gets to ${brief(risk)} with fewer than ${count(floor)}, on average over which coordinates matter (proved)${predicted}.`;
}

function above({ settings, line, kernel, finished }, resnet, two) {
  const others = [`the two-layer network ${brief(two.error)}`, ...(kernel ? [`the kernel ${brief(kernel.risk)}`] : [])].join(", ");
  const lower = [two.error < UNDER * line && "the two-layer network", kernel && kernel.risk < UNDER * line && "the kernel"].filter(Boolean);
  const who = lower.length ? `of the three, ${lower.join(" and ")} ${lower.length > 1 ? "are" : "is"} under the line` : "nobody is under the line";
  if (settings.beta === 0) {
    if (finished) return `With F gone there is nothing to build on: ${who} ${brief(line)} (the ResNet has ${brief(resnet.error)}, ${others}).`;
    return `A pure parity: the ResNet has ${brief(resnet.error)}, ${others}; knowing nothing gives ${brief(line)}.`;
  }
  const [clean, found] = [resnet.error < CLEAN * line, resnet.base > KNOWN];
  if (finished) {
    const missing = clean ? " It has learned F, but not G(F)." : " It holds F with much noise, and not G(F).";
    const why = resnet.base < SOME ? " It has not found F." : found && resnet.composite < SOME ? missing : "";
    return `Trained to the end, ${who} ${brief(line)}: the ResNet has ${brief(resnet.error)}, ${others}.${why}`;
  }
  if (found && clean && resnet.composite < SOME) return `The ResNet has learned F; G(F) is what it is missing. It has ${brief(resnet.error)}, ${others}; the line is at ${brief(line)}.`;
  if (found && clean) return `The ResNet is learning G(F) on top of F: it has ${brief(resnet.error)}, ${others}; the line is at ${brief(line)}.`;
  return `The ResNet is looking for F: it has ${brief(resnet.error)}, ${others}; the line is at ${brief(line)}.`;
}
