/* Plays notes, [onset, offset, pitch] in quarters, with a soft decaying tone for each. */
const makePlayer = (notes, ended) => {
  let context, output, wave;
  let queue = [], timer = 0, pace = 0.75; // seconds of a quarter
  let from = 0, to = 0, began = 0; // the quarter `from` sounds at the time `began` of the audio clock
  const voices = new Set();

  const prepare = () => {
    context = new AudioContext();
    output = new GainNode(context, { gain: 0.5 });
    output.connect(new DynamicsCompressorNode(context, { threshold: -18, ratio: 6 })).connect(context.destination);
    const strengths = [0, 1, 0.42, 0.2, 0.1, 0.05, 0.02];
    wave = context.createPeriodicWave(new Float32Array(strengths.length), Float32Array.from(strengths));
  };

  const sound = (pitch, start, end) => {
    const tone = new OscillatorNode(context, { type: "custom", periodicWave: wave, frequency: 440 * 2 ** ((pitch - 69) / 12) });
    const level = new GainNode(context, { gain: 0 });
    level.gain.setValueAtTime(0, start);
    level.gain.linearRampToValueAtTime(0.3 * 2 ** ((60 - pitch) / 48), start + 0.012);
    level.gain.setTargetAtTime(0, start + 0.012, 1.1 * 2 ** ((60 - pitch) / 30));
    level.gain.setTargetAtTime(0, Math.max(end, start + 0.06), 0.07);
    tone.connect(level).connect(output);
    tone.start(start);
    tone.stop(end + 0.6);
    const voice = { tone, level };
    voices.add(voice);
    tone.onended = () => voices.delete(voice);
  };

  const position = () => (timer ? Math.min(from + Math.max(0, context.currentTime - began) / pace, to) : from);

  const schedule = () => {
    const at = (quarter) => began + (quarter - from) * pace;
    while (queue.length && at(queue[0][0]) < context.currentTime + 0.4) {
      const [start, end, pitch] = queue.shift();
      sound(pitch, Math.max(at(start), context.currentTime), at(end));
    }
    if (position() >= to) {
      clearInterval(timer);
      timer = 0;
      from = to;
      ended();
    }
  };

  const pause = () => {
    from = position();
    clearInterval(timer);
    timer = 0;
    for (const { tone, level } of voices) {
      level.gain.cancelScheduledValues(0);
      level.gain.setTargetAtTime(0, context.currentTime, 0.03);
      tone.stop(context.currentTime + 0.2);
    }
  };

  const play = (start, end) => {
    if (!context) prepare();
    context.resume();
    pause();
    [from, to, began] = [start, end, context.currentTime + 0.06];
    queue = notes
      .filter(([onset, offset]) => offset > start && onset < end)
      .map(([onset, offset, pitch]) => [Math.max(onset, start), Math.min(offset, end), pitch])
      .sort((one, other) => one[0] - other[0]);
    timer = setInterval(schedule, 40);
    schedule();
  };

  const setPace = (seconds) => {
    if (timer) [from, began] = [position(), Math.max(context.currentTime, began)];
    pace = seconds;
  };

  return { play, pause, position, setPace, place: (quarter) => { from = quarter; }, isPlaying: () => timer !== 0 };
};
