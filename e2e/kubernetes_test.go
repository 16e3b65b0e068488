//go:build e2e && nightly

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type (
	kubeObject struct {
		Kind     string
		Metadata struct {
			Name, Namespace string
			Labels          map[string]string
		}
		Spec struct {
			Template struct{ Spec kubePod }
		}
	}
	kubePod struct {
		HostPID                      bool            `yaml:"hostPID"`
		HostNetwork                  bool            `yaml:"hostNetwork"`
		HostIPC                      bool            `yaml:"hostIPC"`
		HostUsers                    *bool           `yaml:"hostUsers"`
		AutomountServiceAccountToken *bool           `yaml:"automountServiceAccountToken"`
		InitContainers               []kubeContainer `yaml:"initContainers"`
		Containers                   []kubeContainer
		Volumes                      []struct {
			Name     string
			HostPath *struct{ Path, Type string } `yaml:"hostPath"`
		}
	}
	kubeContainer struct {
		Name, Image     string
		Args            []string
		SecurityContext struct {
			Privileged, AllowPrivilegeEscalation, ReadOnlyRootFilesystem *bool
			RunAsUser                                                    *int
			Capabilities                                                 struct{ Add, Drop []string }
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
			Recursive string `json:"recursiveReadOnly"`
		} `yaml:"volumeMounts"`
	}
)

// UnmarshalYAML reads Kubernetes' names, which are JSON's.
func (c *kubeContainer) UnmarshalYAML(node *yaml.Node) error {
	var loose map[string]any
	if err := node.Decode(&loose); err != nil {
		return err
	}
	data, err := json.Marshal(loose)
	if err != nil {
		return err
	}
	type plain kubeContainer
	return json.Unmarshal(data, (*plain)(c))
}

// manifest reads the objects of a stream of YAML.
func manifest(t *testing.T, data []byte) map[string]kubeObject {
	t.Helper()
	out := map[string]kubeObject{}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var o kubeObject
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out[o.Kind] = o
	}
}

// manifests returns what is in the base, and with kubectl the output of kustomize for base and labels.
func manifests(t *testing.T) map[string]map[string]kubeObject {
	t.Helper()
	data := readFile(t, filepath.Join(root, "deploy/kubernetes/base/memaudit.yaml"))
	out := map[string]map[string]kubeObject{"file": manifest(t, []byte(data))}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Log("without kubectl only the base is looked at")
		return out
	}
	for _, dir := range []string{"base", "nfd"} {
		cmd := exec.Command("kubectl", "kustomize", filepath.Join(root, "deploy/kubernetes", dir))
		data, err := cmd.Output()
		require.NoError(t, err, dir)
		out[dir] = manifest(t, data)
	}
	return out
}

// TestKubernetes checks least privilege, read-only mounts, no more of the node than an audit reads, and arguments
// that the program accepts.
func TestKubernetes(t *testing.T) {
	for name, objects := range manifests(t) {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, objects, "Namespace")
			require.Contains(t, objects, "DaemonSet")
			assert.Equal(t, objects["Namespace"].Metadata.Name, objects["DaemonSet"].Metadata.Namespace)
			pod := objects["DaemonSet"].Spec.Template.Spec
			assert.False(t, pod.HostPID || pod.HostNetwork || pod.HostIPC)
			assert.Nil(t, pod.HostUsers, "in a user namespace root may not read what root owns")
			require.NotNil(t, pod.AutomountServiceAccountToken)
			assert.False(t, *pod.AutomountServiceAccountToken)
			require.Len(t, pod.Containers, 1)
			assert.Len(t, pod.InitContainers, map[string]int{"nfd": 1}[name])
			paths := map[string]string{}
			for _, v := range pod.Volumes {
				if v.HostPath != nil {
					paths[v.Name] = v.HostPath.Path
				}
			}
			for _, c := range append(pod.Containers, pod.InitContainers...) {
				kubeLeast(t, &c)
				kubeMounts(t, &c, paths)
				kubeArgs(t, &c)
			}
		})
	}
}

func kubeLeast(t *testing.T, c *kubeContainer) {
	t.Helper()
	s := c.SecurityContext
	require.NotNil(t, s.Privileged)
	require.NotNil(t, s.AllowPrivilegeEscalation)
	require.NotNil(t, s.ReadOnlyRootFilesystem)
	require.NotNil(t, s.RunAsUser)
	assert.False(t, *s.Privileged)
	assert.False(t, *s.AllowPrivilegeEscalation)
	assert.True(t, *s.ReadOnlyRootFilesystem)
	assert.Zero(t, *s.RunAsUser, "firmware's table is for root alone")
	assert.Equal(t, []string{"ALL"}, s.Capabilities.Drop)
	assert.Empty(t, s.Capabilities.Add)
}

func kubeMounts(t *testing.T, c *kubeContainer, paths map[string]string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range c.VolumeMounts {
		path, onHost := paths[m.Name]
		seen[path] = true
		switch {
		case path == "/etc/kubernetes/node-feature-discovery/features.d":
			assert.Equal(t, "labels", c.Name)
			assert.Equal(t, "/features.d", m.MountPath)
			continue
		case onHost:
			assert.Equal(t, "/host"+path, m.MountPath)
			if path == "/sys" { // file systems are mounted below it, some of them writable
				assert.Equal(t, "IfPossible", m.Recursive)
			}
		default:
			assert.Equal(t, "/etc/memaudit", m.MountPath)
		}
		assert.True(t, m.ReadOnly, m.Name)
	}
	assert.True(t, seen["/sys"])
	assert.False(t, seen["/proc"] || seen["/"] || seen["/dev"] || seen["/etc"])
}

// kubeArgs checks that the command exists and has the flags.
func kubeArgs(t *testing.T, c *kubeContainer) {
	t.Helper()
	status, help, errs := run(t, nil, c.Args[0], "--help")
	require.Zero(t, status, errs)
	usage := "memaudit " + c.Args[0] + " [flags]"
	if c.Args[0] == "serve" && !strings.Contains(help, usage) {
		t.Log("this program has no serve")
		return
	}
	require.Contains(t, help, usage)
	for _, a := range c.Args[1:] {
		if strings.HasPrefix(a, "--") {
			assert.Contains(t, help, a+" ")
		}
	}
}

// inPod runs the program with the mounts of the manifest and nothing else, as root without capabilities except the
// one to enter the container's root. config replaces the ConfigMap.
func inPod(t *testing.T, config string, args ...string) (stdout, stderr string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root mounts")
	}
	pod := manifests(t)["file"]["DaemonSet"].Spec.Template.Spec
	sources := map[string]string{"config": config}
	for _, v := range pod.Volumes {
		if v.HostPath != nil {
			sources[v.Name] = v.HostPath.Path
			info, err := os.Stat(v.HostPath.Path)
			require.NoError(t, err)
			assert.Equal(t, info.IsDir(), v.HostPath.Type == "Directory", v.Name)
		}
	}
	jail := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(jail, "memaudit"), []byte(readFile(t, binary(t))), 0o755))
	var script strings.Builder
	script.WriteString("set -e\n")
	for _, m := range pod.Containers[0].VolumeMounts {
		if sources[m.Name] != "" {
			script.WriteString(bindMount(t, sources[m.Name], filepath.Join(jail, m.MountPath)))
		}
	}
	script.WriteString("exec setpriv --bounding-set=-all,+sys_chroot --inh-caps=-all chroot " + jail + " /memaudit " + strings.Join(args, " ") + "\n")
	out, err := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", script.String()).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		stderr = string(failed.Stderr)
		if strings.Contains(stderr, "mount") && strings.Contains(stderr, "ermission") {
			t.Skipf("mounting is not allowed here: %s", stderr)
		}
		return string(out), stderr
	}
	require.NoError(t, err)
	return string(out), ""
}

// bindMount creates target and returns the commands that mount source there, read-only.
func bindMount(t *testing.T, source, target string) string {
	t.Helper()
	info, err := os.Stat(source)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
	if info.IsDir() {
		require.NoError(t, os.MkdirAll(target, 0o755))
	} else {
		require.NoError(t, os.WriteFile(target, nil, 0o600))
	}
	return "mount --rbind " + source + " " + target + "\nmount -o remount,bind,ro " + target + "\n"
}

// TestKubernetesMounts checks that an audit in the pod sees the same as one without a container.
func TestKubernetesMounts(t *testing.T) {
	out, errs := inPod(t, "", "inventory", "--root", "/host", "--format", "json")
	require.Empty(t, errs)
	_, want, errs := run(t, nil, "inventory", "--root", "/", "--format", "json")
	require.Empty(t, errs)
	assert.Equal(t, sources(t, want), sources(t, out))
}

// sources returns the state of each source of an inventory.
func sources(t *testing.T, text string) map[string]string {
	t.Helper()
	doc := decoded[struct {
		Sources []struct{ Name, State string }
	}](t, text)
	out := map[string]string{}
	for _, s := range doc.Sources {
		out[s.Name] = s.State
	}
	require.NotEmpty(t, out)
	return out
}

// TestKubernetesPage checks that the commands of the page work, and that its example selects a label that the program
// prints.
func TestKubernetesPage(t *testing.T) {
	page := readFile(t, filepath.Join(root, "deploy/kubernetes/README.md"))
	blocks := fenced(page, "sh")
	require.Len(t, blocks, 2)
	words := strings.Fields(blocks[1])
	require.Equal(t, "memaudit", words[0])
	status, out, errs := run(t, nil, words[1:]...)
	require.Zero(t, status, errs)
	for line := range strings.Lines(out) {
		name := strings.TrimPrefix(strings.Split(line, "=")[0], "feature.node.kubernetes.io/memaudit-")
		assert.Contains(t, page, "`"+name+"`")
	}
	assert.Contains(t, out, "feature.node.kubernetes.io/memaudit-failure=warning\n")
	examples := fenced(page, "yaml")
	require.Len(t, examples, 2)
	assert.Contains(t, examples[1], "key: feature.node.kubernetes.io/memaudit-failure, operator: In, values: [none, info]")
	var affinity map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(examples[1]), &affinity))

	// TestContainer and TestKubernetes run these, but write elsewhere.
	commands := strings.Split(strings.TrimSpace(blocks[0]), "\n")
	require.Equal(t, "buildah build -f deploy/container/Containerfile -t memaudit bin", commands[0])
	require.Equal(t, "kubectl kustomize deploy/kubernetes/nfd", commands[1])
}

// TestNetworkPolicyExample checks that the policy is for the pods of the DaemonSet and their port alone.
func TestNetworkPolicyExample(t *testing.T) {
	var policy struct {
		Kind     string
		Metadata struct{ Namespace string }
		Spec     struct {
			PodSelector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			} `yaml:"podSelector"`
			PolicyTypes []string `yaml:"policyTypes"`
			Ingress     []struct {
				From  []any
				Ports []struct{ Port int }
			}
			Egress []any
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, filepath.Join(root, "deploy/kubernetes/networkpolicy.example.yaml"))), &policy))
	assert.Equal(t, "NetworkPolicy", policy.Kind)
	assert.Equal(t, "memaudit", policy.Metadata.Namespace)
	assert.Equal(t, map[string]string{"app.kubernetes.io/name": "memaudit"}, policy.Spec.PodSelector.MatchLabels)
	assert.Equal(t, []string{"Ingress", "Egress"}, policy.Spec.PolicyTypes)
	assert.Empty(t, policy.Spec.Egress)
	require.Len(t, policy.Spec.Ingress, 1)
	assert.NotEmpty(t, policy.Spec.Ingress[0].From, "an empty list is everyone")
	require.Len(t, policy.Spec.Ingress[0].Ports, 1)
	assert.Equal(t, 9822, policy.Spec.Ingress[0].Ports[0].Port)
}
